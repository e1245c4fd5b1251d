import 'should';
import { parseOptions, readByteSize, readInteger } from '../../../src/service/command-line/parse-options.js';

const TABLE = {
  'disk-quota': { type: 'string' },
  workers: { type: 'string' },
  output: { type: 'string', short: 'o' },
  'parent-pipe': { type: 'boolean' },
} as const;

const MIB = 1024 ** 2;

describe('the options of a command', () => {
  it('come from the command line, long or short', () => {
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

  it('come from the environment where the command line does not say them', () => {
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
    it(`leave a switch off that the environment sets to "${value}"`, () => {
      parseOptions([], TABLE, { MODEL_PROCESSING_PARENT_PIPE: value }).flags.size.should.equal(0);
    });
  }

  it('are refused where the command does not know them', () => {
    (() => parseOptions(['--speed', '9'], TABLE, {})).should.throw({ code: 'USAGE' });
  });

  const size = (text: string): number | undefined =>
    readByteSize(parseOptions(['--disk-quota', text], TABLE, {}), 'disk-quota', MIB);

  it('hold sizes as powers of 1024, however the unit is written', () => {
    ['1048576', '1M', '1mb', '1 MiB', '0.5g', '2T']
      .map(size)
      .should.deepEqual([MIB, MIB, MIB, MIB, 512 * MIB, 2 * 1024 ** 4]);
  });

  for (const text of ['', 'much', '1X', '-1G', '1K', '1e9']) {
    it(`hold no size "${text}"`, () => {
      const read = (): unknown => size(text);
      if (text === '') (read() === undefined).should.be.true();
      else read.should.throw({ code: 'USAGE' });
    });
  }

  it('hold whole numbers within their bounds', () => {
    const workers = (text: string) => readInteger(parseOptions([`--workers=${text}`], TABLE, {}), 'workers', 1, 8);
    [workers('1'), workers('8')].should.deepEqual([1, 8]);
    for (const text of ['0', '9', '1.5', 'two', '-1']) (() => workers(text)).should.throw({ code: 'USAGE' });
  });
});
