// One check box selects all documents of the list.

addEventListener('change', ({ target }) => {
  const boxes = [...document.querySelectorAll('input[form=selection]')]
  const all = document.querySelector('#selection [data-all]')
  if (target === all) for (const box of boxes) box.checked = all.checked
  else if (all) all.checked = boxes.every((box) => box.checked)
})
