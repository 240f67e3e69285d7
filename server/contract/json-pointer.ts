/**
 * @module
 * JSON pointers (RFC 6901): how an answer names the place in a body that is wrong.
 */

/** A JSON pointer as a URI fragment (RFC 6901 section 6), the form of RFC 9457's examples. */
export function pointerFragment(pointer: string): string {
  // A name may hold half of a surrogate pair, which has no UTF-8 form and would throw here.
  return `#${pointer.toWellFormed().split('/').map(encodeURIComponent).join('/')}`;
}
