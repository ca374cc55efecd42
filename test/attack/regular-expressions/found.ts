import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

export interface Found {
  place: string
  source: string
  flags: string
}

type Node = { type: string; start: number } & Record<string, unknown>

/** Stands for values known only at run time, mostly dates, numbers and names. */
const unknown = '1 x'

/** Every regular expression in the source of these folders; of a composed one, the parts in its file. */
export function* regularExpressions(root: string, folders: string): Generator<Found> {
  for (const file of globSync(`${folders}/**/*.{ts,js,mjs}`, { cwd: root })) {
    const code = readFileSync(join(root, file), 'utf8')
    const nodes = [...nodesIn(parseAst(code, { lang: file.endsWith('.ts') ? 'ts' : 'js' }))]
    const constants = new Map(
      nodes.flatMap(({ type, id, init }) =>
        type === 'VariableDeclarator' && init ? [[(id as { name: string }).name, init as Node]] : [],
      ),
    )
    for (const node of nodes) {
      const place = `${file}:${code.slice(0, node.start).split('\n').length}`
      const [pattern, flags] = (node.arguments ?? []) as Node[]
      const isMade = /^(New|Call)Expression$/.test(node.type) && (node.callee as Node).name === 'RegExp'
      if (isMade) yield { place, source: textOf(pattern!, constants), flags: flags ? textOf(flags, constants) : '' }
      const { regex } = node as { regex?: { pattern: string; flags: string } }
      if (regex) yield { place, source: regex.pattern, flags: regex.flags }
    }
  }
}

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value) yield value as Node
  for (const child of Object.values(value)) yield* nodesIn(child)
}

function textOf(node: Node, constants: ReadonlyMap<string, Node>): string {
  const { type, regex, value, name, object, expressions, quasis } = node as Node & {
    regex?: { pattern: string }
    name: string
    object: Node
    expressions: Node[]
    quasis: { value: { cooked: string } }[]
  }
  if (regex) return regex.pattern
  if (type === 'Literal') return String(value)
  if (type === 'Identifier' && constants.has(name)) return textOf(constants.get(name)!, constants)
  if (type === 'MemberExpression' && (node.property as Node).name === 'source') return textOf(object, constants)
  if (type !== 'TemplateLiteral') return unknown
  const said = expressions.map((expression) => textOf(expression, constants))
  return quasis.map(({ value }, i) => value.cooked + (said[i] ?? '')).join('')
}
