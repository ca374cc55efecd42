// Reads the answer aloud and takes spoken questions, in browsers that can speak and recognize speech.

const heard = document.querySelector('.answer blockquote')
const speak = document.querySelector('[data-speak]')
if (speak && 'speechSynthesis' in window) {
  speak.hidden = false
  speak.addEventListener('click', () => {
    const isSpeaking = speechSynthesis.speaking
    speechSynthesis.cancel()
    if (isSpeaking) return
    const said = new SpeechSynthesisUtterance(heard.textContent)
    said.lang = heard.lang || navigator.language
    speechSynthesis.speak(said)
  })
}

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition
if (Recognition) {
  const listen = document.querySelector('[data-listen]')
  const question = document.getElementById('q')
  listen.hidden = false
  listen.addEventListener('click', () => {
    const recognition = new Recognition()
    recognition.lang = navigator.language
    recognition.addEventListener('start', () => listen.setAttribute('aria-pressed', 'true'))
    recognition.addEventListener('end', () => listen.setAttribute('aria-pressed', 'false'))
    recognition.addEventListener('result', ({ results: [[{ transcript }]] }) => {
      question.value = transcript
      question.form.requestSubmit()
    })
    recognition.start()
  })
}
