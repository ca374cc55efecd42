/** Package files that the browser loads, by the name under which bundle.ts copies them to `assets`. */
export const vendored = {
  'htmx.js': 'htmx.org/dist/htmx.esm.min.js',
  'pico.css': '@picocss/pico/css/pico.min.css',
} as const
