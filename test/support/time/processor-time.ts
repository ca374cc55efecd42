/** Far above the time of linear code on a slow machine, and far below that of quadratic code for a long text. */
export const maxMicrosecondsPerByte = 10

/** Microseconds of the processor, in this thread, for each byte of the text. */
export async function microsecondsPerByte(text: string | Buffer, read: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await read()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / Buffer.byteLength(text)
}
