import { showValue } from './code.js'
import { startNavigation } from './navigation.js'
import { startPanel } from './panel.js'
import { closeOnBackdrop, startSearch } from './search.js'
import { forgetValues, readValue, setValue, watchValues } from './values.js'

const root = document.documentElement
const dialog = document.querySelector('#values')
const openValues = document.querySelector('#open-values')

const askForKey = () => dialog.showModal()
openValues.addEventListener('click', askForKey)
closeOnBackdrop(dialog)
for (const link of document.querySelectorAll('a[href="#values"]'))
  link.addEventListener('click', (event) => {
    event.preventDefault()
    askForKey()
  })
for (const button of document.querySelectorAll('.forget')) button.addEventListener('click', forgetValues)
for (const input of document.querySelectorAll('input[data-value]'))
  input.addEventListener('input', () => setValue(input.dataset.value, input.value))

for (const form of document.querySelectorAll('form.call')) startPanel(form, askForKey)
watchValues(() => {
  for (const input of document.querySelectorAll('input[data-value]'))
    if (input !== document.activeElement || !readValue(input.dataset.value))
      input.value = readValue(input.dataset.value)
  for (const element of document.querySelectorAll('var[data-value]')) showValue(element, element.dataset.value)
  const [key, agent] = [readValue('API_KEY'), readValue('AGENT_ID')]
  openValues.textContent = key ? `${key.slice(0, 8)}…${agent ? '' : ', no agent'}` : 'Set key and agent'
  openValues.classList.toggle('missing', !key || !agent)
  for (const button of document.querySelectorAll('header .forget')) button.hidden = !key && !agent
})

function showLanguage() {
  for (const button of document.querySelectorAll('button[data-language]'))
    button.setAttribute('aria-pressed', String(button.dataset.language === root.dataset.language))
}
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button')
  if (button?.dataset.language) {
    const before = button.getBoundingClientRect().top
    root.dataset.language = button.dataset.language
    sessionStorage.setItem('cuecard:language', button.dataset.language)
    showLanguage()
    // Samples above may have become longer or shorter: the reader stays where they are.
    scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' })
  }
  if (button?.matches('.copy')) {
    const pre = [...button.closest('.call, .block').querySelectorAll('pre')].find((pre) => pre.checkVisibility())
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  }
})
showLanguage()

startNavigation()
startSearch()
