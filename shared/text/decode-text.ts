import { isUtf8 } from 'node:buffer'
import { detect } from 'chardet'
import { likeliestLatin } from './latin-encodings.ts'
import { Unreadable } from './unreadable.ts'

const sampleBytes = 64 * 1024
/** Detected less reliably than by letters inside words. */
const latinNames = /^(?:iso-8859-(?:1|2|9|15)|windows-125[0247]|utf.*)$/i

/** Decodes by mark, zero bytes, validity, the `declared` encoding, or detection. @throws Unreadable for bytes that are not text */
export function decodeText(bytes: Buffer, declared?: string): string {
  const utf16 = utf16Of(bytes)
  if (utf16) return rejectBinary(decoded(bytes, utf16))
  const hasUtf8Mark = bytes.toString('latin1', 0, 3) === '\xef\xbb\xbf'
  const utf8 = hasUtf8Mark || isUtf8(bytes) ? 'utf-8' : undefined
  rejectBinary(bytes.toString('latin1', 0, sampleBytes))
  return decoded(bytes, utf8 ?? declared ?? detectedEncoding(bytes))
}

function utf16Of(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, 4096)
  let [even, odd] = [0, 0]
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) at % 2 ? odd++ : even++
  if (odd > sample.length * 0.3 && even < sample.length * 0.02) return 'utf-16le'
  if (even > sample.length * 0.3 && odd < sample.length * 0.02) return 'utf-16be'
  return undefined
}

function detectedEncoding(bytes: Buffer): string {
  const latin = likeliestLatin(bytes)
  const name = latin.isLikely ? null : detect(bytes.subarray(0, sampleBytes))
  return !name || latinNames.test(name) ? latin.encoding : name
}

function decoded(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function rejectBinary(text: string): string {
  const sample = text.slice(0, sampleBytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are counted.
  const controls = sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0
  if (controls > 2 && controls > sample.length * 0.002) throw new Unreadable('unsupported')
  return text
}
