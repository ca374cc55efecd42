import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Session } from '../../shared/organizations/sessions.ts'
import { assetPath } from './assets.ts'
import type { Flash } from './flash.ts'
import { icon, mark } from './icons.ts'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** An agent's tabs, by the last part of their addresses. */
const agentTabs = {
  documents: 'Documents',
  sources: 'Websites',
  ask: 'Ask',
  questions: 'Questions',
  'golden-questions': 'Checks',
} as const
export type AgentTab = keyof typeof agentTabs

export type Agent = { id: string; name: string; tab: AgentTab }

/** A screen's own parts; `layout` adds the common frame. */
export interface View {
  /** Heading and window title; a tab's heading is its agent's name instead. */
  title: string
  lead?: string | Html
  /** The screen's agent. Without `crumbs`, the screen is one of the agent's tabs; with `crumbs`, it is below a tab. */
  agent?: Agent
  /** Links between the agent and this screen. */
  crumbs?: readonly (readonly [name: string, path: string])[]
  actions?: Html | false
  content: Html | Html[]
  /** Modules in `assets` that this screen needs besides dashboard.js. */
  modules?: string[]
  status?: 200 | 400 | 403 | 404 | 409 | 422 | 429 | 500 | 503
}

const home = '/dashboard'
export const organizationsPath = `${home}/organizations`
const settings = `${home}/settings`
/** `below`: what the addresses of a place's screens begin with. */
const places = [
  { name: 'Agents', path: home, below: `${home}/agents/`, permission: 'kb:read' },
  { name: 'Settings', path: settings, below: `${settings}/`, permission: 'organization:read' },
] as const

/** @param path the screen's address, which says where it is */
export function layout(view: View, session: Session, path: string, flash?: Flash): Html {
  const place = places.find(({ path: own, below }) => path === own || path.startsWith(below))
  return document(
    isTab(view) ? `${view.title} · ${view.agent.name}` : view.title,
    html`<header class="bar">
<a class="brand" href="${home}" aria-label="Cuecard">${mark()} <span>Cuecard</span></a>
<nav class="places" aria-label="Main"><ul>${places
      .filter(({ permission }) => session.permissions.includes(permission))
      .map(
        (each) =>
          html`<li><a href="${each.path}"${each === place && html` aria-current="${each.path === path ? 'page' : 'true'}"`}>${each.name}</a></li>`,
      )}</ul></nav>
<p class="organization">${session.person && session.person.organizations > 1 ? html`<a href="${organizationsPath}">${session.organizationName}</a>` : session.organizationName}</p>
<form method="post" action="${home}/sign-out"><button class="quiet" aria-label="Sign out">${icon('leave')} <span>Sign out</span></button></form>
</header>
<main id="main" tabindex="-1">
${place && place.path !== path && crumbs(view, place)}
<div class="head"><h1>${isTab(view) ? html`${view.agent.name}<span class="unseen">: ${view.title}</span> ${session.permissions.includes('organization:write') && settingsLink(view.agent)}` : view.title}</h1>${view.actions && html`<div class="actions">${view.actions}</div>`}</div>
${view.lead && html`<p class="lead">${view.lead}</p>`}
${isTab(view) && tabs(view.agent, session)}
<div id="flash" role="status">${flash && flashNotice(flash)}</div>
<div class="body">${view.content}</div>
</main>`,
    { modules: view.modules },
  )
}

export function plainLayout(title: string, content: Html): Html {
  return document(
    title,
    html`<main id="main" tabindex="-1"><div class="entry panel"><p class="brand">${mark()} Cuecard</p>
<h1>${title}</h1>
${content}</div></main>`,
    { className: 'plain-page' },
  )
}

/** A page that ends a way, with where to go on. */
export function endView(title: string, lead: Html | string, path: string, label: string): Html {
  return plainLayout(title, html`<p class="lead">${lead}</p>\n<p><a class="button" href="${path}">${label}</a></p>`)
}

function document(
  title: string,
  body: Html,
  { className, modules = [] }: { className?: string; modules?: string[] | undefined },
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="${htmxConfig}">
<title>${title} · Cuecard</title>
<link rel="icon" href="${assetPath('icon.svg')}">
<link rel="stylesheet" href="${assetPath('dashboard.css')}">
<link rel="modulepreload" href="${assetPath('htmx.js')}">
${['dashboard.js', ...modules].map((name) => html`<script type="module" src="${assetPath(name)}"></script>\n`)}</head>
<body${className ? html` class="${className}"` : ''}>
<a class="skip button" href="#main">Skip to content</a>
${body}
<p id="announcer" class="unseen" aria-live="polite"></p>
<template id="offline">${flashNotice({ text: 'Cuecard can’t be reached. Check your connection and try again.', isError: true })}</template>
<template id="restored">${flashNotice({ text: 'You were signed out before this was saved. What you typed is back: save it again.', isError: true })}</template>
</body>
</html>
`
}

/** `extensions` allows only dashboard.js's own, which stops htmx from running strings as scripts. */
const htmxConfig = JSON.stringify({
  extensions: 'cuecard',
  history: false,
  includeIndicatorCSS: false,
  defaultTimeout: 30_000,
})

export function flashNotice({ text, isError, undo: [action, ...what] = [] }: Flash): Html {
  return html`<div class="notice ${isError ? 'bad' : 'good'}">${icon(isError ? 'alert' : 'check')}<p>${text}</p>${
    action &&
    html`<form method="post" action="${action}">${what.map((each) => html`<input type="hidden" name="what" value="${each}">`)}<button class="quiet">Undo</button></form>`
  }</div>`
}

function isTab(view: View): view is View & { agent: Agent } {
  return view.agent !== undefined && view.crumbs === undefined
}

function crumbs(view: View, top: { name: string; path: string }): Html {
  const { agent } = view
  const above = [
    [top.name, top.path],
    ...(agent && !isTab(view) ? [[agent.name, agentPage(agent.id, agent.tab)]] : []),
    ...(view.crumbs ?? []),
  ]
  return html`<nav class="crumbs" aria-label="Breadcrumbs"><ol>${above.map(
    ([name, to]) => html`<li><a href="${to}">${name}</a></li>`,
  )}</ol></nav>`
}

function settingsLink({ id, name }: Agent): Html {
  return html`<a class="button quiet" href="${home}/agents/${id}/edit" aria-label="Settings of “${name}”">${icon('settings')}</a>`
}

function tabs(agent: Agent, { mayReadQuestions }: Session): Html {
  const shown = Object.entries(agentTabs).filter(([tab]) => tab !== 'questions' || mayReadQuestions)
  return html`<nav class="tabs" aria-label="Agent"><ul>${shown.map(
    ([tab, name]) =>
      html`<li><a href="${agentPage(agent.id, tab as AgentTab)}"${agent.tab === tab && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>`
}

export function agentPage(agentId: string, tab: AgentTab): string {
  return `${home}/agents/${agentId}/${tab}`
}
