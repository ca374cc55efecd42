// Marks what belongs together: a passage, and its part of the text beside it.

for (const name of ['pointerover', 'focusin']) addEventListener(name, ({ target }) => mark(numbersOf(target)))

function numbersOf(target) {
  const { of = '' } = target.closest?.('.panes [data-of]')?.dataset ?? {}
  return of.split(' ')
}

function mark(numbers) {
  for (const each of document.querySelectorAll('.panes [data-of]'))
    each.classList.toggle(
      'is-marked',
      numbersOf(each).some((number) => numbers.includes(number)),
    )
}
