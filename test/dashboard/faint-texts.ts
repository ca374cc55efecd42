import type { Page } from 'playwright-core'

/** Texts of a page with less contrast than WCAG 2.2 requires (4.5 to 1), each with its contrast. */
export async function faintTexts(page: Page): Promise<string[]> {
  return (await page.evaluate(`(${find})()`)) as string[]
}

/** Runs in the browser, hence as text. A canvas blends transparent backgrounds. */
const find = `() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const shown = (colors) => {
    canvas.fillStyle = 'white'
    for (const color of ['white', ...colors]) {
      canvas.fillStyle = color
      canvas.fillRect(0, 0, 1, 1)
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
  }
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((part) => part / 255)
      .map((share) => share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const ancestors = (element) => element ? [...ancestors(element.parentElement), element] : []
  const faint = []
  for (const element of document.body.querySelectorAll('*')) {
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
    const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest('.unseen, .skip')
    if (!isText || !isSeen) continue
    const grounds = ancestors(element).map((each) => getComputedStyle(each).backgroundColor)
    const one = luminance(shown(grounds))
    const other = luminance(shown([...grounds, getComputedStyle(element).color]))
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    if (contrast < 4.5) faint.push(contrast.toFixed(2) + ': ' + element.textContent.trim())
  }
  return faint
}`
