// A list whose parts change in place.

// A hidden page does not poll.

addEventListener('htmx:before:request', (event) => {
  if (document.hidden && event.detail.ctx.sourceEvent?.type === 'every') event.preventDefault()
})

// htmx does not change the page's address, so follow what the list shows.
addEventListener('htmx:after:swap', () => {
  const { pathname, search } = location
  const address = document.getElementById('documents')?.getAttribute('hx-get')
  if (address && address !== pathname + search) history.replaceState(null, '', address)
})
