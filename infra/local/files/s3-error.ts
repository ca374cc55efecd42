export class S3Error extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }

  toXml(): string {
    return `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>${this.code}</Code><Message>${escaped(this.message)}</Message><RequestId>${crypto.randomUUID()}</RequestId></Error>`
  }
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
