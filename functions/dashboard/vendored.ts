/** Files of packages that the browser loads, under the names that they have in `assets`: bundle.ts copies them there. */
export const vendored = {
  'htmx.js': 'htmx.org/dist/htmx.esm.min.js',
  'pico.css': '@picocss/pico/css/pico.min.css',
} as const
