import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
/** WebGL without a GPU. */
const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

/** Starts a browser, with WebGL drawn by software or without WebGL. */
export function startViewerBrowser({ hasWebgl = true } = {}): Promise<Browser> {
  const flags = hasWebgl ? SOFTWARE_WEBGL : ['--disable-3d-apis'];
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
}
