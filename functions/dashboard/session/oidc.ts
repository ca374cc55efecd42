import { type Context, Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import * as oauth from 'oauth4webapi'
import * as v from 'valibot'
import { secret } from '../../../shared/aws/secrets.ts'
import { config, required } from '../../../shared/config.ts'
import type { Database } from '../../../shared/database/database.ts'
import { type ApiEnv, idsOf } from '../../../shared/http/api.ts'
import { originOf } from '../../../shared/http/origin.ts'
import { signInAs } from '../../../shared/organizations/sessions.ts'
import { isLoopbackHost } from '../../../shared/outbound/addresses.ts'
import { describeError, log } from '../../../shared/telemetry/log.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import { mailAddress, shortened } from '../forms.ts'
import { endView } from '../layout.ts'
import { returnAttributes } from './cookies.ts'
import { returnPath } from './return-path.ts'
import { completeSignIn, oidcPath } from './sign-in.ts'

/** An OpenID Connect provider that people sign in with. */
export interface OidcProvider {
  issuer: string
  clientId: string
  /** @param rejected the secret that the provider rejected; it may have been replaced */
  clientSecret: (rejected?: string) => Promise<string>
  /** The name on the sign-in button. */
  name: string
  isLoopbackAllowed: boolean
}

/** Undefined without `OIDC_ISSUER`. */
export function configuredOidc(): OidcProvider | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_SECRET, OIDC_SECRET, OIDC_NAME, ALLOW_LOOPBACK } = config()
  if (OIDC_ISSUER === undefined) return undefined
  return {
    issuer: OIDC_ISSUER,
    clientId: required('OIDC_CLIENT_ID'),
    clientSecret: secret({ value: OIDC_CLIENT_SECRET, id: OIDC_SECRET }),
    name: OIDC_NAME ?? new URL(OIDC_ISSUER).host,
    isLoopbackAllowed: ALLOW_LOOPBACK,
  }
}

const callbackPath = `${oidcPath}/callback`
const cookieName = 'cuecard_oidc'
const flowSeconds = 600
const timeoutSeconds = 5

/** The cookie that the browser keeps from the start of a sign-in until the provider's callback. */
const flow = v.object({ state: v.string(), nonce: v.string(), verifier: v.string(), to: v.string() })

/** Signs people in at a provider by the authorization code flow with PKCE. */
export function oidcRoutes(db: Database, provider: OidcProvider) {
  const { clientId, name } = provider
  const issuer = new URL(provider.issuer)
  const isLoopback = provider.isLoopbackAllowed && isLoopbackHost(issuer.hostname)
  const options = {
    signal: () => AbortSignal.timeout(timeoutSeconds * 1000),
    [oauth.allowInsecureRequests]: isLoopback,
  }
  const client = { client_id: clientId, [oauth.clockTolerance]: 30 }
  let known: Promise<oauth.AuthorizationServer> | undefined

  /** The provider's metadata, fetched once per instance. @throws Unavailable */
  function server() {
    known ??= oauth
      .discoveryRequest(issuer, options)
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
      .catch((error) => {
        known = undefined
        throw new Unavailable('oidc', error)
      })
    return known
  }

  const cookie = (c: Context<ApiEnv>) => returnAttributes(c, flowSeconds)
  const redirectUri = (c: Context<ApiEnv>) => `${originOf(c.req)}${callbackPath}`

  /** Redeems the code. @returns the mail address, if the provider has verified it @throws any fault in the response */
  async function verifiedMail(c: Context<ApiEnv>, { state, nonce, verifier }: v.InferOutput<typeof flow>) {
    const as = await server()
    const parameters = oauth.validateAuthResponse(as, client, new URL(c.req.url), state)
    const clientSecret = await provider.clientSecret()
    const authentication = oauth.ClientSecretBasic(clientSecret)
    const response = await oauth.authorizationCodeGrantRequest(
      ...([as, client, authentication, parameters, redirectUri(c), verifier, options] as const),
    )
    const expected = { expectedNonce: nonce, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, expected).catch(async (error) => {
      if (error.status === 401 || error.error === 'invalid_client') await provider.clientSecret(clientSecret)
      throw error
    })
    const claims = oauth.getValidatedIdTokenClaims(tokens)!
    // Some providers send the address in this response only.
    const { email, email_verified } = claims.email
      ? claims
      : await oauth
          .userInfoRequest(as, client, tokens.access_token, options)
          .then((found) => oauth.processUserInfoResponse(as, client, claims.sub, found))
    const mail = v.safeParse(mailAddress, email)
    // Lower case turns the Kelvin sign in another person's address into a k.
    const isAscii = /^[!-~]+$/.test(String(email))
    return mail.success && isAscii && email_verified === true ? mail.output : undefined
  }

  const refuse = (c: Context<ApiEnv>, status: 403 | 422, lead: string) =>
    c.html(endView('You’re not signed in', lead, '/dashboard/sign-in', 'Try again'), status)

  return new Hono<ApiEnv>()
    .get(oidcPath, async (c) => {
      const { authorization_endpoint = '' } = await server()
      const kept = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
        to: returnPath(c.req.query('to')),
      }
      const url = new URL(authorization_endpoint)
      const parameters = {
        client_id: clientId,
        redirect_uri: redirectUri(c),
        response_type: 'code',
        scope: 'openid email',
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
      }
      for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value)
      setCookie(c, cookieName, Buffer.from(JSON.stringify(kept)).toString('base64url'), cookie(c))
      return c.redirect(url.href, 303)
    })
    .get(callbackPath, async (c) => {
      const sent = Buffer.from(getCookie(c, cookieName) ?? '', 'base64url').toString()
      const started = v.safeParse(v.pipe(v.string(), v.parseJson(), flow), sent)
      deleteCookie(c, cookieName, cookie(c))
      if (!started.success) return refuse(c, 422, 'You started in another browser, or more than ten minutes ago.')
      const found = await verifiedMail(c, started.output).then(
        (mail) => ({ mail }),
        (error: unknown) => ({ error }),
      )
      if ('error' in found) {
        log.warn('oidc_refused', { ...idsOf(c), error: describeError(found.error) })
        const { error } = found
        const said = error instanceof oauth.AuthorizationResponseError && (error.error_description ?? error.error)
        const lead = said ? `${name} says: ${shortened(said, 200)}` : `${name}’s response couldn’t be verified.`
        return refuse(c, 422, lead)
      }
      const { mail } = found
      if (mail === undefined) return refuse(c, 403, `${name} hasn’t verified your mail address.`)
      const opened = await signInAs(db, mail)
      const noMember = `${mail} isn’t a member of any organization here. Ask an owner of yours to invite this address.`
      if (opened.outcome === 'refused') return refuse(c, 403, noMember)
      return completeSignIn(c, opened, returnPath(started.output.to))
    })
}
