/** The side bar marks the section in view, and opens over the page on a narrow screen. */
export function startNavigation() {
  const root = document.documentElement
  const menu = document.querySelector('#menu')
  const contents = document.querySelector('#contents')
  const main = document.querySelector('main')
  const links = new Map([...contents.querySelectorAll('a[href^="#"]')].map((link) => [link.hash.slice(1), link]))

  function setOpen(isOpen) {
    menu.setAttribute('aria-expanded', String(isOpen))
    main.inert = isOpen
    root.toggleAttribute('data-menu', isOpen)
  }
  menu.addEventListener('click', () => {
    setOpen(menu.getAttribute('aria-expanded') === 'false')
    contents.querySelector('a').focus()
  })
  contents.addEventListener('click', (event) => event.target.closest('a') && setOpen(false))
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !main.inert) return
    setOpen(false)
    menu.focus()
  })
  matchMedia('(min-width: 60rem)').addEventListener('change', () => setOpen(false))

  const markCurrent = (id) => {
    for (const link of links.values()) link.removeAttribute('aria-current')
    const link = links.get(id)
    link.setAttribute('aria-current', 'location')
    keepInView(link, contents)
  }
  const [first] = links.keys()
  markCurrent(first)
  const observer = new IntersectionObserver(
    (entries) => {
      const seen = entries.find((entry) => entry.isIntersecting)
      if (seen) markCurrent(seen.target.id)
    },
    { rootMargin: '-20% 0px -79% 0px' },
  )
  for (const id of links.keys()) observer.observe(document.getElementById(id))
}

function keepInView(link, container) {
  const { top, bottom } = link.getBoundingClientRect()
  const frame = container.getBoundingClientRect()
  if (top < frame.top || bottom > frame.bottom) container.scrollTop += top - frame.top - frame.height / 2
}
