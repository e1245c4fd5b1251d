import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { DATABASE_OPTIONS, readDatabaseOptions } from '../../../src/service/command-line/database-options.js';
import { parseOptions } from '../../../src/service/command-line/parse-options.js';
import { createFolder, removeFolder } from '../support/data-folder.js';

const URL = 'postgres://ann:secret@db.example.com/models';

function read(args: string[], environment: Record<string, string> = {}) {
  return readDatabaseOptions(parseOptions(args, DATABASE_OPTIONS, environment));
}

describe('the options of a service on many machines', () => {
  it('are those of one machine if none is set', () => {
    should(read([])).be.undefined();
  });

  it('are read from arguments and from the environment', () => {
    const args = ['--s3-bucket', 'models', '--s3-endpoint', 'https://s3.example.com', '--s3-path-style'];
    should(read(args, { MODEL_PROCESSING_DATABASE_URL: URL, MODEL_PROCESSING_NO_MIGRATE: '1' })).match({
      database: { url: URL, migrates: false },
      bucket: { bucket: 'models', endpoint: 'https://s3.example.com', forcePathStyle: true },
    });
  });

  it('take the URL from a file', async () => {
    const folder = await createFolder();
    try {
      const file = path.join(folder, 'url');
      await writeFile(file, `${URL}\n`);
      const environment = { MODEL_PROCESSING_DATABASE_URL_FILE: file };
      should(read(['--s3-bucket', 'models'], environment)).match({ database: { url: URL, migrates: true } });
      should(() => read(['--s3-bucket', 'models', '--database-url', URL], environment)).throw(/Set only one of/);
    } finally {
      await removeFolder(folder);
    }
  });

  it('are refused if the database or the bucket is missing, without the secrets', () => {
    should(() => read(['--database-url', URL])).throw(/^Missing --s3-bucket: (?!.*secret)/);
    should(() => read(['--s3-bucket', 'models'])).throw(/^Missing --database-url: --s3-bucket/);
    should(() => read(['--no-migrate'])).throw(/^Missing --database-url: --no-migrate/);
  });

  it('are refused if a value is invalid', () => {
    const args = ['--database-url', URL, '--s3-bucket', 'models'];
    should(() => read([...args, '--s3-sse', 'none'])).throw(/^Invalid --s3-sse "none": expected AES256 or aws:kms/);
    should(() => read([...args, '--s3-endpoint', 'https://a:b@c'])).throw(/^Invalid --s3-endpoint: .*without cred/);
    should(() => read([...args, '--database-connections', '3'])).throw(/^Invalid --database-connections "3"/);
  });
});
