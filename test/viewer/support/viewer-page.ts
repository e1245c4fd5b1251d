import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type * as ViewerModule from '../../../src/viewer/index.js';

// The names of the page, for functions that page.evaluate() runs there.
declare const modelViewer: typeof ViewerModule;
declare global {
  var viewer: ViewerModule.Viewer;
}

/** The strictest policy that the viewer works with. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'";
const PAGE = `<!doctype html><html lang="en"><head><title>Viewer</title><link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script></head><body><main id="host"></main></body></html>`;
const STYLE = 'html, body { margin: 0; height: 100% } main { height: 100% }';
const SCRIPT = `import * as modelViewer from '/viewer.js'; Object.assign(globalThis, { modelViewer });`;

/** Serves a page, the viewer and previews. */
export class ViewerSite {
  readonly #server: Server;
  readonly #previews = new Map<string, Uint8Array>();
  readonly url: string;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<ViewerSite> {
    const viewer = await readFile('resources/viewer.js');
    const files: Record<string, [string, string | Uint8Array]> = {
      '/': ['text/html', PAGE],
      '/page.css': ['text/css', STYLE],
      '/page.js': ['text/javascript', SCRIPT],
      '/viewer.js': ['text/javascript', viewer],
    };
    const server = createServer((request, response) => {
      const [type, content] = files[request.url ?? ''] ?? [
        'model/gltf-binary',
        site.#previews.get(request.url ?? '') ?? new Uint8Array(),
      ];
      response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': POLICY }).end(content);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const site = new ViewerSite(server);
    return site;
  }

  add(name: string, preview: Uint8Array): void {
    this.#previews.set(`/${name}`, preview);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

/** How a viewer is opened. */
export interface OpenOptions {
  context?: BrowserContextOptions;
  language?: 'ENGLISH' | 'GERMAN';
  theme?: 'light' | 'dark' | 'auto';
}

/** A page with a viewer. */
export class ViewerPage {
  readonly page: Page;
  readonly canvas: Locator;
  /** A page for the decoder of images. */
  readonly #decoder: Page;
  /** Errors of the page and violations of its policy. */
  readonly problems: string[] = [];

  private constructor(page: Page, decoder: Page) {
    this.page = page;
    this.#decoder = decoder;
    this.canvas = page.locator('canvas');
  }

  static async open(browser: Browser, site: ViewerSite, options: OpenOptions = {}): Promise<ViewerPage> {
    const { context = {}, language = 'ENGLISH', theme = 'light' } = options;
    const opener = await browser.newContext({ viewport: { width: 900, height: 600 }, ...context });
    const opened = new ViewerPage(await opener.newPage(), await opener.newPage());
    const { page } = opened;
    await page.bringToFront();
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) opened.problems.push(message.text());
    });
    page.on('pageerror', (error) => opened.problems.push(error.message));
    await page.goto(site.url);
    await page.waitForFunction(() => 'modelViewer' in globalThis);
    await page.evaluate(
      ([name, chosen]) => {
        const host = document.getElementById('host') as HTMLElement;
        globalThis.viewer = modelViewer.createViewer(host, { texts: modelViewer[name], theme: chosen });
      },
      [language, theme] as const,
    );
    return opened;
  }

  /** Shows a preview of the site, and that before it. Resolves when the picture has all details. */
  async show(name: string, before?: string, pictures: string[] = []): Promise<void> {
    await this.#load(name, before, pictures);
    await this.#waitForDetail();
  }

  /** Shows a preview where no picture is expected. */
  async showWithoutPicture(name: string, pictures: string[] = []): Promise<void> {
    await this.#load(name, undefined, pictures);
  }

  async #load(name: string, before: string | undefined, pictures: string[]): Promise<void> {
    await this.page.evaluate(
      async ([first, second, urls]) => {
        const names = second === undefined ? [first] : [first, second];
        const replies = await Promise.all(names.map((file) => fetch(`/${file}`)));
        const [preview, other] = await Promise.all(
          replies.map(async (reply) => new Uint8Array(await reply.arrayBuffer())),
        );
        if (preview) viewer.show({ preview, pictures: urls }, other && { preview: other });
      },
      [name, before, pictures] as const,
    );
  }

  #waitForDetail(): Promise<void> {
    return this.page.locator('canvas[data-detail=full]').waitFor();
  }

  /** Does something that draws the picture again. Resolves when it has all details. */
  async change(action: () => Promise<unknown>): Promise<void> {
    await this.canvas.evaluate((canvas) => canvas.removeAttribute('data-detail'));
    await action();
    await this.#waitForDetail();
  }

  /** Returns the pixels of the picture, without pins and other elements over it. */
  async readPixels(): Promise<Pixels> {
    const style = '.pins, .caption, .label, .split, .border { visibility: hidden } canvas { outline: none !important }';
    await this.page.locator('main > div').evaluate((host, text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      const root = host.shadowRoot as ShadowRoot;
      root.adoptedStyleSheets = [...root.adoptedStyleSheets.slice(0, 1), sheet];
    }, style);
    const png = await this.canvas.screenshot();
    await this.page.locator('main > div').evaluate((host) => {
      const root = host.shadowRoot as ShadowRoot;
      root.adoptedStyleSheets = root.adoptedStyleSheets.slice(0, 1);
    });
    return decodePng(this.#decoder, png);
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}

/** The pixels of a picture, four bytes each. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Decodes a PNG in a page of the browser. */
export async function decodePng(page: Page, png: Buffer): Promise<Pixels> {
  const { width, height, text } = await page.evaluate(async (base64) => {
    const blob = await (await fetch(`data:image/png;base64,${base64}`)).blob();
    const image = await createImageBitmap(blob);
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    const bytes = context.getImageData(0, 0, image.width, image.height).data;
    let binary = '';
    for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return { width: image.width, height: image.height, text: btoa(binary) };
  }, png.toString('base64'));
  return { width, height, data: Buffer.from(text, 'base64') };
}
