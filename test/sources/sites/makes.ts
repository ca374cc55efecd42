/** A page in the layout of a kind of website; `body` is its content. */
export interface Content {
  title: string
  body: string
  /** Paths with the words of their links. */
  links?: [string, string][]
}

const list = (links: [string, string][] = []) =>
  links.map(([path, words]) => `<li><a href="${path}">${words}</a></li>`).join('')
const nav: [string, string][] = [
  ['/', 'Home'],
  ['/about', 'About us'],
  ['/contact', 'Contact'],
]

/** A hosted shop: announcement bar, drawers, sections, a canonical link, scripts everywhere. */
export function shopPage({ title, body, links }: Content, path: string): string {
  return `<!doctype html><html class="no-js" lang="en"><head><meta charset="utf-8"><title>${title} – Harbour Supplies</title>
<link rel="canonical" href="{{url}}${path.split('?')[0]}"><script>window.shop={cart:0}</script></head><body class="template-product">
<a class="skip-to-content-link" href="#MainContent">Skip to content</a>
<div id="shop-section-announcement-bar" class="announcement-bar" role="region"><p>Free delivery over £40</p></div>
<header class="section-header"><nav class="header__inline-menu"><ul>${list(nav)}</ul></nav>
<cart-drawer class="drawer"><h2>Your cart is empty</h2><a href="/cart">Checkout</a></cart-drawer></header>
<main id="MainContent" role="main"><section class="product"><h1 class="product__title">${title}</h1>${body}</section>
<section class="related"><ul>${list(links)}</ul></section></main>
<footer class="footer"><ul>${list([
    ['/policies/refund', 'Refunds'],
    ['/policies/terms', 'Terms'],
  ])}</ul><p>© Harbour Supplies</p></footer></body></html>`
}

/** A shop within a blog system: wrappers, breadcrumbs, a sidebar of widgets, add-to-cart links. */
export function blogShopPage({ title, body, links }: Content): string {
  return `<!DOCTYPE html><html lang="en-GB"><head><title>${title} | Fern &amp; Field</title><meta name="generator" content="blog 6"></head>
<body class="archive woo"><div id="page" class="hfeed site"><header id="masthead" class="site-header"><ul class="menu">${list(nav)}</ul></header>
<nav class="breadcrumb"><a href="/">Home</a> / ${title}</nav><div id="primary" class="content-area"><main class="site-main">
<h1 class="page-title">${title}</h1>${body}<ul class="products">${list(links)}</ul>
<a href="?add-to-cart=17" class="button add_to_cart_button" rel="nofollow">Add to basket</a></main></div>
<aside id="secondary" class="widget-area"><ul>${list([
    ['/tag/gift', 'Gifts'],
    ['/tag/new', 'New'],
  ])}</ul></aside>
<footer id="colophon" class="site-footer"><p>Tel. 020 7946 0712</p></footer></div></body></html>`
}

/** A restaurant's one-page template: blocks in blocks, hours in a table, a cookie banner. */
export function restaurantPage({ title, body, links }: Content): string {
  return `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head><body>
<div class="cookie-banner" role="dialog">We use cookies to improve your visit. <button>Accept</button></div>
<div class="Header Header--top"><div class="Header-nav"><a href="/">Home</a><a href="/menu">Menu</a><a href="/hours">Hours</a></div></div>
<main><article><section><div class="sqs-block html-block"><div class="sqs-block-content"><h1>${title}</h1>${body}</div></div></section></article></main>
<footer><a href="tel:+442079460999">020 7946 0999</a>${list(links)}</footer></body></html>`
}

/** A content system of an office: tables for layout, ids by number, German. */
export function officePage({ title, body, links }: Content): string {
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8" /><title>Praxis am Markt: ${title}</title></head>
<body><div id="c12" class="nav"><ul>${list([
    ['/', 'Start'],
    ['/sprechzeiten', 'Sprechzeiten'],
    ['/impressum', 'Impressum'],
  ])}</ul></div>
<div id="content"><div id="c48" class="frame frame-default"><h1>${title}</h1>${body}</div><ul>${list(links)}</ul></div></body></html>`
}

/** A page builder: columns in sections in containers, headings in widgets, styles by number. */
export function builderPage({ title, body, links }: Content): string {
  const wrap = (inner: string) =>
    `<div class="bld-element bld-widget" data-id="7f3"><div class="bld-widget-container">${inner}</div></div>`
  return `<!doctype html><html lang="en"><head><meta charset="UTF-8"><title>${title}</title><style>.bld-1{color:red}</style></head><body>
<div data-builder-type="wp-page" class="bld bld-90"><section class="bld-section bld-top-section"><div class="bld-container bld-column-gap-default">
<div class="bld-column bld-col-100"><div class="bld-widget-wrap">${wrap(`<h2 class="bld-heading-title">${title}</h2>`)}${wrap(body)}${wrap(`<ul>${list(links)}</ul>`)}</div></div>
</div></section></div></body></html>`
}
