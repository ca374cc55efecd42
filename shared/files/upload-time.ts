export const formSeconds = 60 * 60
/** How long after its form was made a file may arrive: the last post may take as long as the form is good. */
export const uploadSeconds = 2 * formSeconds
