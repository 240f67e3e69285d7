/**
 * @module
 * Reading what somebody else decides the length of.
 */

export const INPUT_BYTES_MAX = 1024 * 1024;

/** The whole of a stream, or one byte more than is accepted, and no more. */
export async function readAtMost(
  stream: AsyncIterable<Uint8Array>,
  bytesMax = INPUT_BYTES_MAX,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) break;
  }
  return Buffer.concat(chunks);
}
