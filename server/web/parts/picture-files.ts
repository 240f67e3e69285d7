/**
 * @module
 * Pictures as files: SVG as it is, and PNG in light colours and twice the size.
 */

import { DARK_RULES } from '../../../src/experiment/charts/palette.ts';

/** Pixels of the PNG file for each of the picture. */
const SCALE = 2;

export function svgBlob(svg: string): Blob {
  return new Blob([svg], { type: 'image/svg+xml' });
}

/** The picture as pixels. A file has no reader whose colours it could follow, so these are the light ones. */
export async function pngBlob(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(svgBlob(svg.replace(DARK_RULES, '')));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = SCALE * image.naturalWidth;
    canvas.height = SCALE * image.naturalHeight;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error('The picture is too large for a PNG file.'));
        else resolve(blob);
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
