import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type { Limits } from '../../defaults.js';
import { findPackagePath } from '../../package-info.js';
import { describeForPage } from './describe-for-page.js';

const gzipText = promisify(gzip);

/** The policy of the page: only its own scripts, styles, pictures and requests. It cannot be framed. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Path in the service → file of the package and its media type. */
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['dist/web/index.html', 'text/html; charset=utf-8'],
  '/ui/app.js': ['dist/web/app.js', 'text/javascript; charset=utf-8'],
  '/ui/app.css': ['dist/web/app.css', 'text/css; charset=utf-8'],
  '/ui/icon.svg': ['dist/web/icon.svg', 'image/svg+xml'],
  '/ui/viewer.js': ['resources/viewer.js', 'text/javascript; charset=utf-8'],
};

interface LoadedFile {
  bytes: Buffer;
  compressed: Buffer;
  tag: string;
}

async function loadFile(file: string): Promise<LoadedFile> {
  const bytes = await readFile(findPackagePath(file));
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, compressed: await gzipText(bytes), tag };
}

/** Registers the page at `/` and its files. They are read when they are first requested, and need no session. */
export function registerPageRoutes(app: FastifyInstance, { limits }: { limits: Limits }): void {
  for (const [url, [file, type]] of Object.entries(FILES)) {
    let loading: Promise<LoadedFile> | undefined;
    app.get(url, async (request, reply) => {
      loading ??= loadFile(file);
      const { bytes, compressed, tag } = await loading;
      reply.headers({ 'content-security-policy': PAGE_POLICY, 'referrer-policy': 'no-referrer', 'content-type': type });
      reply.headers({ etag: tag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
      if (request.headers['if-none-match'] === tag) return reply.code(304).send();
      const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
      if (takesGzip) reply.header('content-encoding', 'gzip');
      return reply.send(takesGzip ? compressed : bytes);
    });
  }

  app.get('/ui/operations.json', async () => describeForPage(limits));
}
