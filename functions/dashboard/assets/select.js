// One check box selects all documents of the list, which is replaced whenever it changes.

const boxes = () => [...document.querySelectorAll('input[form=selection]')]

function show() {
  for (const label of document.querySelectorAll('#selection [data-all]')) {
    label.hidden = false
    label.firstElementChild.checked = boxes().length > 0 && boxes().every((box) => box.checked)
  }
}

addEventListener('change', ({ target }) => {
  if (target.closest('[data-all]')) for (const box of boxes()) box.checked = target.checked
  show()
})
document.addEventListener('htmx:after:swap', show)
show()
