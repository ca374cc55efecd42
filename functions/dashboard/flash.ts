import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import * as v from 'valibot'
import type { ApiEnv } from '../../shared/http/api.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { decodeCursor, encodeCursor } from '../../shared/http/pages.ts'
import type { Session } from '../../shared/organizations/sessions.ts'
import { cookieAttributes } from './session/cookies.ts'

export type Flash = { text: string; isError?: boolean }

const name = 'cuecard_flash'
const shape = v.strictTuple([v.string(), v.boolean()])
/** A cookie holds 4096 bytes. */
const maxCharacters = 600

/** Signed like a cursor, so that nobody else can put words on our screens. */
export function setFlash(c: Context<ApiEnv>, session: Session, { text, isError = false }: Flash): void {
  const shown = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
  setCookie(c, name, encodeCursor(session.cursorKey, name, [shown, isError]), { ...cookieAttributes(c), maxAge: 60 })
}

export function takeFlash(c: Context<ApiEnv>, session: Session): Flash | undefined {
  const sent = getCookie(c, name)
  if (sent === undefined) return undefined
  deleteCookie(c, name, cookieAttributes(c))
  try {
    const [text, isError] = decodeCursor(session.cursorKey, name, sent, shape)
    return { text, isError }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
