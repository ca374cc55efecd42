/** Files of packages that the browser loads, by their names in `assets`, where bundle.ts copies them. */
export const vendored = {
  'htmx.js': 'htmx.org/dist/htmx.esm.min.js',
  'pico.css': '@picocss/pico/css/pico.min.css',
  'pdf.js': 'pdfjs-dist/legacy/build/pdf.min.mjs',
  'pdf-worker.js': 'pdfjs-dist/legacy/build/pdf.worker.min.mjs',
  // The worker imports the decoder of scans by this name; that of WebAssembly would need a wider policy.
  'openjpeg_nowasm_fallback.js': 'pdfjs-dist/wasm/openjpeg_nowasm_fallback.js',
} as const
