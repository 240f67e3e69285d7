/**
 * @module
 * Packs a text for the address: compressed, in base64url.
 */

/** Characters of an unpacked text. A longer one is not taken from an address. */
const TEXT_MAX = 100_000;

export async function packed(text: string): Promise<string> {
  const bytes = await bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream(FORM)));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The text, or null if it was damaged. */
export async function unpacked(code: string): Promise<string | null> {
  try {
    const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(FORM));
    return new TextDecoder('utf-8', { fatal: true }).decode(await bytesOf(stream));
  } catch {
    return null;
  }
}

const FORM = 'deflate-raw';

/** Throws RangeError for more than TEXT_MAX bytes. */
async function bytesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = stream.getReader();
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > TEXT_MAX) throw new RangeError(`"text" expected at most ${TEXT_MAX} bytes`);
    parts.push(value);
  }
}
