/**
 * @module
 * Reads input whose length others decide.
 */

export const INPUT_BYTES_MAX = 1024 * 1024;

/** Reads a whole stream. Stops after the chunk with which it exceeds `bytesMax`. */
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
