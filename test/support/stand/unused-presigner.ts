import type { Presigner } from '../../../shared/files/presigner.ts'

function unused(): never {
  throw new Error('No file is posted or downloaded here')
}

/** A presigner that throws, where no test deals with files. */
export const unusedPresigner: Presigner = {
  bucket: 'files',
  origin: 'http://127.0.0.1',
  presignPost: unused,
  presignGet: unused,
}
