import { newId } from '../ids.ts'

/** The key of an upload has an id of its own, so no upload overwrites another. In the URL the name is percent-encoded. */
export function newFile(bucket: string, organizationId: string, documentId: string, fileName: string) {
  const path = `${organizationId}/${documentId}/${newId()}/`
  return { key: path + fileName, url: `s3://${bucket}/${path}${encodeURIComponent(fileName)}` }
}

/** The URL that stands for all files of an organization, in any bucket. */
export function urlOfAllFiles(organizationId: string): string {
  return `s3:///${organizationId}/`
}

/** The prefix of the keys of an organization's files; undefined for the URL of one file. */
export function prefixOfUrl(sourceUrl: string): string | undefined {
  return /^s3:\/\/\/([^/]+\/)$/.exec(sourceUrl)?.[1]
}

/** @throws Error for the URL of anything but a file of ours */
export function keyOfUrl(sourceUrl: string): string {
  const [, path, encodedName] = /^s3:\/\/[^/]+\/(.+\/)([^/]+)$/.exec(sourceUrl) ?? []
  if (path === undefined || encodedName === undefined) throw new Error(`not the URL of a file: ${sourceUrl}`)
  return path + decodeURIComponent(encodedName)
}

export function fileNameOfKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

const maxNameLength = 150

/** Drops folders and control characters, and shortens the name before its extension. */
export function toFileName(name: string): string {
  const [plain = ''] = name
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/\p{Cc}/gu, '')
    .split(/[\\/]/)
    .slice(-1)
  const [, stem = '', extension = ''] = /^(.*?)(\.\w+)?$/su.exec(plain.trim()) ?? []
  return [...stem].slice(0, maxNameLength - [...extension].length).join('') + extension
}
