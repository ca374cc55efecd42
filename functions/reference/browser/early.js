// Runs before the first paint: the language that the reader chose in this tab.
const root = document.documentElement
root.dataset.script = ''
root.dataset.language = sessionStorage.getItem('cuecard:language') ?? root.dataset.language
