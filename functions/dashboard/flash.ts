import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import * as v from 'valibot'
import type { ApiEnv } from '../../shared/http/api.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { decodeCursor, encodeCursor } from '../../shared/http/pagination.ts'
import type { Session } from '../../shared/organizations/sessions.ts'
import { cookieAttributes } from './session/cookies.ts'

/** `undo`: the path to post to, then each value of `what`. */
export type Flash = { text: string; isError?: boolean; undo?: string[] | undefined }

const name = 'cuecard_flash'
const shape = v.strictTuple([v.string(), v.boolean(), v.string()])
/** Keeps the cookie below 4096 bytes, the most that browsers store. */
const maxCharacters = 600
const maxUndone = 25

/** Signs the text like a cursor, so that nobody else can put text on our screens. */
export function setFlash(c: Context<ApiEnv>, session: Session, { text, isError = false, undo = [] }: Flash): void {
  const shown = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
  const said = [shown, isError, undo.length > maxUndone + 1 ? '' : undo.join(' ')]
  setCookie(c, name, encodeCursor(session.cursorKey, name, said), { ...cookieAttributes(c), maxAge: 60 })
}

export function takeFlash(c: Context<ApiEnv>, session: Session): Flash | undefined {
  const sent = getCookie(c, name)
  if (sent === undefined) return undefined
  deleteCookie(c, name, cookieAttributes(c))
  try {
    const [text, isError, undo] = decodeCursor(session.cursorKey, name, sent, shape)
    return { text, isError, ...(undo && { undo: undo.split(' ') }) }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
