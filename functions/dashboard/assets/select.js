// One check box selects all documents of the list, which is replaced whenever it changes. The buttons say how many are selected.

const boxes = () => [...document.querySelectorAll('input[form=selection]')]

function show() {
  const count = boxes().filter((box) => box.checked).length
  for (const label of document.querySelectorAll('#selection [data-all]')) {
    label.hidden = false
    label.firstElementChild.checked = count > 0 && count === boxes().length
  }
  for (const button of document.querySelectorAll('#selection [data-counted]')) {
    const words = JSON.parse(button.dataset.counted)
    button.textContent = words[count === 1 ? 'one' : 'other'].replace('{count}', count)
  }
}

addEventListener('change', ({ target }) => {
  if (target.closest('[data-all]')) for (const box of boxes()) box.checked = target.checked
  show()
})
document.addEventListener('htmx:after:swap', show)
show()
