import { expect, test } from 'vitest'
import { inScope, type Scope } from '../../../functions/crawler/site/address.ts'
import { canonical } from '../../../shared/websites/address.ts'

test('an address has one canonical form', () => {
  const same: [string, string | null][] = [
    ['HTTPS://Shop.Example:443/A?b=1&utm_source=x&c=2#top', 'https://shop.example/A?b=1&c=2'],
    ['https://shop.example./a/../b/?gclid=1&fbclid=2', 'https://shop.example/b/'],
    ['https://shop.example/a;jsessionid=1F?PHPSESSID=ab', 'https://shop.example/a'],
    ['https://shop.example/?sid=0123456789abcdef&sid=12', 'https://shop.example/?sid=12'],
    ['https://shop.example/%7eanna/caf%c3%a9', 'https://shop.example/~anna/caf%C3%A9'],
    ['https://shop.example/café', 'https://shop.example/caf%C3%A9'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['https://user:password@shop.example/', null],
    ['mailto:anna@shop.example', null],
    ['javascript:void(0)', null],
    ['https://[', null],
    [`https://shop.example/${'a'.repeat(255)}`, null],
  ]
  for (const [address, form] of same) {
    expect(canonical(address), address).toBe(form)
    if (form) expect(canonical(form)).toBe(form)
  }
  expect(canonical('../b?x#y', 'https://shop.example/a/c/')).toBe('https://shop.example/a/b?x')
})

test('a slash at the end is kept', () => {
  expect(canonical('https://shop.example/a/')).not.toBe(canonical('https://shop.example/a'))
})

test('a source covers its host, and a site only the addresses below its path', () => {
  const covered = (url: string, address: string, own: Partial<Scope> = {}) =>
    inScope({ kind: 'site', url, include: [], exclude: [], ...own }, address)
  const shop = 'https://shop.example/shop'
  for (const address of [shop, `${shop}/`, `${shop}?a`, `${shop}/a/b`, 'https://www.shop.example/shop/a'])
    expect(covered(shop, address), address).toBe(true)
  for (const address of [
    'https://shop.example/',
    'https://shop.example/shopping',
    'https://a.shop.example/shop',
    'https://shop.example:8443/shop',
  ])
    expect(covered(shop, address), address).toBe(false)
  expect(covered('https://shop.example/shop/', shop)).toBe(true)
  expect(covered('https://shop.example/shop/index.html', `${shop}/a`)).toBe(true)
  expect(covered('https://shop.example/home.html', `${shop}/a`)).toBe(true)
  expect(covered('https://shop.example/a.b/', 'https://shop.example/a.b/c')).toBe(true)
  expect(covered(shop, 'https://shop.example/', { kind: 'sitemap' })).toBe(true)
  expect(covered(shop, 'https://www.shop.example/', { kind: 'page' })).toBe(true)
})

test('patterns include and exclude paths, with everything below', () => {
  const covered = (path: string, include: string[], exclude: string[] = []) =>
    inScope({ kind: 'site', url: 'https://shop.example/', include, exclude }, `https://shop.example${path}`)
  const yes = [
    ['/menu', '/menu'],
    ['/menu/', '/menu'],
    ['/menu/pizza', '/menu'],
    ['/menu', '/menu/'],
    ['/Menu?a=1', '/menu'],
    ['/a/menu/b', '/*/menu'],
    ['/a-menu', '/*menu'],
    ['/menus-menu', '/*menu'],
    ['/x.html', '/*.html'],
    ['/a?page=2', '/*page=*'],
    ['/anything', '*'],
    ['/caf%C3%A9/a', '/café'],
    ['/caf%C3%A9', '/caf%c3%a9'],
    ['/', '/'],
  ]
  const no = [
    ['/menus', '/menu'],
    ['/a/menu', '/menu'],
    ['/x.htmlx', '/*.html'],
    ['/a-menus', '/*menu'],
  ]
  for (const [path, pattern] of yes) expect(covered(path!, [pattern!]), `${path} ${pattern}`).toBe(true)
  for (const [path, pattern] of no) expect(covered(path!, [pattern!]), `${path} ${pattern}`).toBe(false)
  expect(covered('/blog/a', [], ['/blog'])).toBe(false)
  expect(covered('/blog/a', ['/blog'], ['/blog/a'])).toBe(false)
  expect(covered('/shop', [], ['/blog'])).toBe(true)
})

test('a pattern of many stars is matched quickly', () => {
  const scope: Scope = { kind: 'site', url: 'https://shop.example/', include: [`/${'*a'.repeat(120)}b`], exclude: [] }
  const started = process.threadCpuUsage()
  expect(inScope(scope, `https://shop.example/${'a'.repeat(230)}`)).toBe(false)
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(500)
})
