export const formSeconds = 60 * 60
/** A file may arrive this long after its form was made: the last post may take as long as the form is valid. */
export const uploadSeconds = 2 * formSeconds
