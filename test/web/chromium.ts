/**
 * @module
 * Chromium of this system, as the tests and the screenshots start it.
 */

import { existsSync } from 'node:fs';
import process from 'node:process';
import type { Browser, BrowserContext } from 'playwright-core';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Whether Chromium is installed. */
export const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) console.warn(`skipped: the browser lab needs Chromium (${CHROMIUM})`);

/** How a page is shown; by default 1280 × 800 in light colours. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

export function startChromium({ device = false } = {}): Promise<Browser> {
  const args = device ? [...FLAGS, ...DEVICE_FLAGS] : [...FLAGS, ...NO_DEVICE_FLAGS];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** A window with cookies of its own. */
export async function newWindow(
  browser: Browser,
  { width = 1280, height = 800, scheme = 'light' }: Look,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(WAIT_MS_MAX);
  return context;
}

/** On a busy machine a page can take more than the default of 30 seconds. */
const WAIT_MS_MAX = 60_000;

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu-compositing',
  '--num-raster-threads=1',
  '--disable-extensions',
];

/** Pictures are drawn by the processor, without an emulated graphics card. */
const NO_DEVICE_FLAGS = ['--disable-gpu', '--disable-software-rasterizer'];

/** WebGPU with SwiftShader, a software device. */
const DEVICE_FLAGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
