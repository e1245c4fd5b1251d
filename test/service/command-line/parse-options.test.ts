import os from 'node:os';
import path from 'node:path';
import 'should';
import { parseOptions, readByteSize, readInteger } from '../../../src/service/command-line/parse-options.js';

const TABLE = {
  'disk-quota': { type: 'string' },
  workers: { type: 'string' },
  output: { type: 'string', short: 'o' },
  'parent-pipe': { type: 'boolean' },
} as const;

const MIB = 1024 ** 2;

describe('parse-options', () => {
  it('reads long and short options from the command line', () => {
    const { stringValues, flags, positionals } = parseOptions(
      ['a', '-o', 'x', '--parent-pipe', '--workers=3', 'b'],
      TABLE,
      {},
    );
    [...stringValues].should.deepEqual([
      ['workers', '3'],
      ['output', 'x'],
    ]);
    [[...flags], positionals].should.deepEqual([['parent-pipe'], ['a', 'b']]);
  });

  it('expands ~ in paths, on the command line and in the environment', () => {
    const table = {
      ...TABLE,
      output: { type: 'string', isPath: true },
      data: { type: 'string', isPath: true },
    } as const;
    const { stringValues } = parseOptions(['--output=~/out', '--workers=~'], table, { MODEL_PROCESSING_DATA: '~' });
    Object.fromEntries(stringValues).should.deepEqual({
      output: path.join(os.homedir(), 'out'),
      data: os.homedir(),
      workers: '~',
    });
  });

  it('refuses a URL as path', () => {
    const table = { output: { type: 'string', isPath: true } } as const;
    (() => parseOptions(['--output', 's3://models/a.stl'], table, {})).should.throw({
      code: 'USAGE',
      message: 'Invalid --output "s3://models/a.stl": expected a path, not a URL.',
    });
  });

  it('reads options that are not on the command line from the environment', () => {
    const environment = {
      MODEL_PROCESSING_DISK_QUOTA: '5G',
      MODEL_PROCESSING_WORKERS: '9',
      MODEL_PROCESSING_PARENT_PIPE: '1',
    };
    const { stringValues, flags } = parseOptions(['--workers', '2'], TABLE, environment);
    [stringValues.get('disk-quota'), stringValues.get('workers'), flags.has('parent-pipe')].should.deepEqual([
      '5G',
      '2',
      true,
    ]);
  });

  for (const value of ['', '0', 'false', 'no']) {
    it(`treats "${value}" in the environment as off`, () => {
      parseOptions([], TABLE, { MODEL_PROCESSING_PARENT_PIPE: value }).flags.size.should.equal(0);
    });
  }

  it('throws USAGE for an unknown option', () => {
    (() => parseOptions(['--speed', '9'], TABLE, {})).should.throw({ code: 'USAGE' });
  });

  const size = (text: string): number | undefined =>
    readByteSize(parseOptions(['--disk-quota', text], TABLE, {}), 'disk-quota', MIB);

  it('reads sizes as powers of 1024, in any notation of the unit', () => {
    ['1048576', '1M', '1mb', '1 MiB', '0.5g', '2T']
      .map(size)
      .should.deepEqual([MIB, MIB, MIB, MIB, 512 * MIB, 2 * 1024 ** 4]);
  });

  for (const text of ['', 'much', '1X', '-1G', '1K', '1e9']) {
    it(`rejects the size "${text}"`, () => {
      const read = (): unknown => size(text);
      if (text === '') (read() === undefined).should.be.true();
      else read.should.throw({ code: 'USAGE' });
    });
  }

  it('reads integers within their limits', () => {
    const workers = (text: string) => readInteger(parseOptions([`--workers=${text}`], TABLE, {}), 'workers', 1, 8);
    [workers('1'), workers('8')].should.deepEqual([1, 8]);
    for (const text of ['0', '9', '1.5', 'two', '-1']) (() => workers(text)).should.throw({ code: 'USAGE' });
  });
});
