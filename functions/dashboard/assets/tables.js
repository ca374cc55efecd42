/** Larger tables would make the page slow, so they stay text. */
const maxCells = 3_000
/** A line of bold text only, above other text. */
const boldLines = /^\*\*([^*\n]+?):?\*\*:?[ \t]*(?=\n\s*[^\s*#])/gm

for (const source of document.querySelectorAll('textarea[data-tables]')) edit(source)

/** Shows a text's Markdown tables as grids between its other text. The form sends the hidden text area, which keeps the whole text. */
function edit(source) {
  const words = JSON.parse(source.dataset.tables)
  const label = document.querySelector(`label[for="${source.id}"]`)
  label.id = `${source.id}-label`
  const described = source.getAttribute('aria-describedby')
  const editor = make('section', { class: 'pieces', 'aria-labelledby': label.id, 'aria-describedby': described })
  const offer = make('p', { class: 'notice' })
  document.querySelector(`#${source.id}-hint`)?.before(offer)
  source.addEventListener('input', offerHeadings)
  show()
  if (source.dataset.at) goTo(Number(source.dataset.at))

  /** Puts the cursor at an offset of the text: into its text area, or into its row, behind the row's name. */
  function goTo(at) {
    const pieces = [...editor.querySelectorAll('[data-start]')]
    const piece = pieces.findLast(({ dataset }) => Number(dataset.start) <= at) ?? pieces[0] ?? source
    const start = Number(piece.dataset.start ?? 0)
    // A table's second line isn't shown.
    const row = Math.max(0, source.value.slice(start, at).split('\n').length - 2)
    const field = piece.querySelectorAll('tr')[row]?.querySelectorAll('input')[1] ?? piece
    if (field === piece) field.setSelectionRange(Math.max(0, at - start), Math.max(0, at - start))
    field.focus()
  }

  function offerHeadings() {
    const count = source.value.match(boldLines)?.length ?? 0
    offer.hidden = count === 0
    const turn = () => {
      source.value = source.value.replace(boldLines, '## $1')
      source.dispatchEvent(new Event('input', { bubbles: true }))
      show()
    }
    offer.replaceChildren(`${words.boldLines.replace('{count}', count)} `, button(words.asHeadings, turn))
  }

  function show() {
    const pieces = piecesOf(source.value)
    const hasTables = pieces.some(({ rows }) => rows)
    source.hidden = hasTables
    source.required = !hasTables
    offerHeadings()
    editor.remove()
    if (!hasTables) return
    editor.replaceChildren()
    source.before(editor)
    const write = () => {
      source.value = pieces.map(({ lines, rows, added }) => (rows ? linesOf(rows, added) : lines).join('\n')).join('\n')
    }
    for (const piece of pieces)
      if (piece.rows) editor.append(grid(piece, words, write))
      else if (piece.lines.some((line) => line.trim())) editor.append(texts(piece, write))
    const asText = () => {
      source.hidden = false
      editor.remove()
      source.focus()
    }
    editor.append(make('p', {}, button(words.asText, asText)))
  }

  /** Edits a piece without the empty lines around it, which stay. */
  function texts(piece, write) {
    const rows = Math.min(18, Math.max(3, piece.lines.length))
    const area = make('textarea', { 'aria-label': label.textContent, rows, autocomplete: 'off' })
    const text = piece.lines.join('\n')
    area.value = text.trim()
    const [before, after] = text.split(area.value)
    area.dataset.start = piece.start + before.length
    area.addEventListener('input', () => {
      piece.lines = (before + area.value + after).split('\n')
      write()
    })
    return area
  }
}

/** Splits a text into lines and tables. Joined by line feeds, they are the text. */
function piecesOf(text) {
  const pieces = []
  let start = 0
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    const isTable = trimmed.length > 1 && trimmed.startsWith('|') && trimmed.endsWith('|')
    if (pieces.at(-1)?.isTable === isTable) pieces.at(-1).lines.push(line)
    else pieces.push({ isTable, lines: [line], start })
    start += line.length + 1
  }
  let cells = 0
  for (const piece of pieces) {
    if (!piece.isTable) continue
    // Splits each line at its bars. The first and last part are outside the table.
    const rows = piece.lines.map((line) => line.split(/(?<!\\)\|/))
    cells += rows.flat().length
    if (cells <= maxCells) Object.assign(piece, { rows, added: new Set() })
  }
  return pieces
}

/** Leaves out rows that were added and left empty. */
function linesOf(rows, added) {
  return rows.filter((row) => !added.has(row) || row.some((part) => part.trim())).map((row) => row.join('|'))
}

function readCell(row, column) {
  return column < row.length - 2 ? row[column + 1].trim().replaceAll('\\|', '|') : ''
}

/** Writes a cell, and keeps the white space around it and all other cells. */
function writeCell(row, column, text) {
  while (row.length < column + 3) row.splice(-1, 0, '  ')
  const before = row[column + 1].trim()
  row[column + 1] = before ? row[column + 1].replace(before, () => escaped(text)) : ` ${escaped(text)} `
}

function escaped(text) {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replace(/\\$/, '\\ ')
}

function grid({ start, rows, added }, words, write) {
  const isRule = (row) => row.length > 2 && row.slice(1, -1).every((cell) => /^:?-+:?$/.test(cell.trim()))
  const rule = rows.length > 1 && isRule(rows[1]) ? rows[1] : undefined
  const shown = () => rows.filter((row) => row !== rule)
  const columns = () => Math.max(...rows.map(({ length }) => length)) - 2
  const table = make('table', {})
  const moreRows = button(words.addRow, () => {
    addRow()
    draw()
    focus(shown().length - 1, 0)
  })
  draw()
  return make(
    'div',
    { class: 'cells', 'data-start': start },
    make('div', { class: 'table' }, table),
    make('div', { class: 'actions' }, moreRows),
  )

  function draw() {
    write()
    table.replaceChildren(
      ...shown().map((row, y) => {
        const cells = Array.from({ length: columns() }, (_, x) => cellOf(row, y, x))
        const isHead = rule && y === 0
        return make('tr', {}, ...cells, make('td', {}, ...(isHead ? [] : [removal(row, y)])))
      }),
    )
  }

  function focus(y, x) {
    table.rows[y]?.querySelectorAll('input')[x]?.focus()
  }

  function cellOf(row, y, x) {
    const isHead = rule && y === 0
    const column = words.column.replace('{column}', x + 1)
    const heading = (rule && readCell(rows[0], x)) || column
    const name = isHead ? column : words.cell.replace('{column}', heading).replace('{row}', rule ? y : y + 1)
    const input = make('input', { 'aria-label': name, value: readCell(row, x), autocomplete: 'off' })
    input.addEventListener('input', () => {
      writeCell(row, x, input.value)
      write()
    })
    input.addEventListener('keydown', (event) => {
      const step = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (!step || event.isComposing) return
      event.preventDefault()
      if (event.key === 'Enter' && y + step === shown().length) {
        addRow()
        draw()
      }
      focus(y + step, x)
    })
    return make(isHead ? 'th' : 'td', isHead ? { scope: 'col' } : {}, input)
  }

  function removal(row, y) {
    const remove = () => {
      rows.splice(rows.indexOf(row), 1)
      draw()
      const left = table.querySelectorAll('button')
      ;(left[Math.min(rule ? y - 1 : y, left.length - 1)] ?? moreRows).focus()
    }
    return button('×', remove, { class: 'quiet', 'aria-label': words.removeRow.replace('{row}', rule ? y : y + 1) })
  }

  function addRow() {
    const row = ['', ...Array(columns()).fill('  '), '']
    rows.push(row)
    added.add(row)
  }
}

function button(text, act, attributes = {}) {
  const made = make('button', { type: 'button', class: 'plain', ...attributes }, text)
  made.addEventListener('click', act)
  return made
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value)
  element.append(...children)
  return element
}
