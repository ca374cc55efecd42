/** Files of packages that the browser loads, by their names in `assets`, where bundle.ts copies them. */
export const vendored = {
  'htmx.js': 'htmx.org/dist/htmx.esm.min.js',
  'pico.css': '@picocss/pico/css/pico.min.css',
} as const
