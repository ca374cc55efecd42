import { numberAt } from './numbers.ts'
import type { Emit, Speech } from './tokens.ts'

/** Tokens up to `end` say an hour of the day, and maybe its minutes. */
interface Clock {
  end: number
  hour: number
  minutes: number
}

const minutesOfHour = 60
const minutesOfHalfDay = 720
/** The minutes that people count from the hour: "ten to five" is a time, "eight to five" are opening hours. */
const countedMinutes = ['5', '10', '20', '25']

/** Times of day: "half past nine", "viertel vor acht", "nine a m", "neun uhr dreißig". With a. m. or p. m. on both clocks. */
export function readTimes(speech: Speech, emit: Emit): void {
  const { tokens } = speech
  for (let at = 0; at < tokens.length; ) {
    const { namedTime } = tokens[at]!.meaning
    if (namedTime) emit(tokens[at]!, tokens[at]!, namedTime)
    const clocks = clocksAt(speech, at)
    for (const clock of clocks) emitTime(speech, at, clock, emit)
    at = clocks.at(-1)?.end ?? numberAt(speech, at)?.end ?? at + 1
  }
}

function emitTime({ tokens }: Speech, from: number, { end, hour, minutes }: Clock, emit: Emit): void {
  const halfDay = tokens[end]?.meaning.halfDay
  const last = tokens[halfDay ? end : end - 1]!
  const time = (hours: number) => `${hours}:${String(minutes).padStart(2, '0')}`
  emit(tokens[from]!, last, time(hour))
  if (!halfDay || hour > 12) return
  if (minutes === 0) emit(tokens[from]!, last, `${hour}${halfDay}`)
  emit(tokens[from]!, last, time((hour % 12) + (halfDay === 'pm' ? 12 : 0)))
}

/** "half past nine", "ten to five", "fünf vor halb zehn". */
function relativeAt(speech: Speech, at: number): Clock | undefined {
  const { tokens } = speech
  const { beforeHour } = tokens[at]!.meaning
  if (beforeHour !== undefined) {
    const hour = hourAt(speech, at + 1)
    return hour && shifted(hour, beforeHour)
  }
  const counted = numberAt(speech, at)
  const direction = tokens[counted?.end ?? -1]?.meaning.minutesFrom
  if (!counted || !direction || !countedMinutes.includes(counted.text)) return undefined
  const isNested = tokens[counted.end + 1]?.meaning.beforeHour !== undefined
  const from = isNested ? relativeAt(speech, counted.end + 1) : hourAt(speech, counted.end + 1)
  return from && from.hour <= 12 ? shifted(from, direction * Number(counted.text)) : undefined
}

/** Adds minutes to a time of the same clock, of 12 hours or of 24: a quarter to one is 12:45. */
function shifted({ end, hour, minutes }: Clock, by: number): Clock {
  const day = hour > 12 || hour === 0 ? 2 * minutesOfHalfDay : minutesOfHalfDay
  const time = (hour * minutesOfHour + minutes + by + day) % day
  const hours = Math.floor(time / minutesOfHour)
  return { end, hour: hours === 0 && day === minutesOfHalfDay ? 12 : hours, minutes: time % minutesOfHour }
}

function clocksAt(speech: Speech, at: number): Clock[] {
  const { tokens } = speech
  if (tokens[at]!.isPlain) return []
  const relative = relativeAt(speech, at)
  if (relative) return [tokens[relative.end]?.meaning.clock ? { ...relative, end: relative.end + 1 } : relative]
  const hour = hourAt(speech, at)
  if (!hour) return []
  const after = tokens[hour.end]?.meaning
  if (after?.clock) {
    const full = { ...hour, end: hour.end + 1 }
    const shift = tokens[full.end]?.meaning.afterHour
    if (shift !== undefined) return [shifted({ ...full, end: full.end + 1 }, shift)]
    const exact = minutesAt(speech, full)
    return exact ? [full, exact] : [full]
  }
  if (after?.halfDay) return [hour]
  const shift = after?.afterHour
  if (shift !== undefined) return [shifted({ ...hour, end: hour.end + 1 }, shift)]
  const exact = minutesAt(speech, hour)
  return exact && tokens[exact.end]?.meaning.halfDay ? [exact] : []
}

function hourAt(speech: Speech, at: number): Clock | undefined {
  const token = speech.tokens[at]
  const isOne = (token?.meaning.one || token?.meaning.article) && speech.tokens[at + 1]?.meaning.clock
  if (isOne) return { end: at + 1, hour: 1, minutes: 0 }
  const number = numberAt(speech, at)
  if (!number || number.ordinal || token!.meaning.unsure) return undefined
  const after = speech.tokens[number.end]?.meaning
  const together = after?.clock || after?.halfDay ? /^([0-9]{1,2})([0-5][0-9])$/.exec(number.text) : null
  const hour = Number(together?.[1] ?? number.text)
  return hour <= 24 && number.text.length <= 4
    ? { end: number.end, hour, minutes: Number(together?.[2] ?? 0) }
    : undefined
}

function minutesAt(speech: Speech, { end, hour, minutes }: Clock): Clock | undefined {
  const isTens = speech.tokens[end]?.meaning.unsure
  const number = numberAt(speech, isTens ? end + 1 : end)
  if (!number || number.ordinal || Number(number.text) >= minutesOfHour || minutes > 0) return undefined
  return { end: number.end, hour, minutes: Number(number.text) }
}
