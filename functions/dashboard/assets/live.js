// A list whose parts change in place.

// A page that nobody sees does not ask whether anything has changed.

addEventListener('htmx:before:request', (event) => {
  if (document.hidden && event.detail.ctx.sourceEvent?.type === 'every') event.preventDefault()
})

// The address of the page is that of what it shows, as htmx changes no addresses.
addEventListener('htmx:after:swap', () => {
  const { pathname, search } = location
  const address = document.getElementById('documents')?.getAttribute('hx-get')
  if (address && address !== pathname + search) history.replaceState(null, '', address)
})
