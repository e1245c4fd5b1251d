import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import should from 'should';

const FOLDER = path.resolve('dist/src');

/** Adds a chunk and those that it imports statically. */
function addChunks(name: string, chunks: Set<string>): void {
  if (chunks.has(name)) return;
  chunks.add(name);
  const text = readFileSync(path.join(FOLDER, name), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:from|^import|;import)\s*"\.\/([^"]+)"/gm))
    addChunks(imported, chunks);
}

/** Returns the packages in the chunks that a command loads at its start. */
function findPackages(command: string): Set<string> {
  const chunks = new Set<string>();
  addChunks('cli.js', chunks);
  addChunks(readdirSync(FOLDER).find((name) => name.startsWith(`${command}-`) && name.endsWith('.js')) ?? '', chunks);
  const sources = [...chunks].flatMap(
    (name): string[] => Object(JSON.parse(readFileSync(path.join(FOLDER, `${name}.map`), 'utf8'))).sources,
  );
  return new Set(sources.map((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? ''));
}

describe('the built serve', () => {
  it('loads at its start what a service on one machine needs, but no other packages', () => {
    const packages = findPackages('service-commands');
    should([...packages])
      .containEql('fastify')
      .and.containEql('kysely');
    const later = ['pg', 'pg-boss', 'uuid', '@aws-sdk/client-s3', '@smithy/core', 'ajv'];
    should(later.filter((name) => packages.has(name))).be.empty();
  });
});
