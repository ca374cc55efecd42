// Runs before the first paint, so that nothing flickers: what the reader chose in this tab.
const root = document.documentElement
root.dataset.script = ''
for (const name of ['theme', 'language']) {
  const chosen = sessionStorage.getItem(`cuecard:${name}`)
  if (chosen) root.dataset[name] = chosen
}
