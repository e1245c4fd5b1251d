import should from 'should';
import { findLibraries, parseLibraries } from '../../../../src/service/kernel/sandbox/find-libraries.js';

describe('parseLibraries', () => {
  it('places libraries in one folder, and the loader at its own path: glibc', () => {
    const output = [
      '\tlinux-vdso.so.1 (0x00007ffb2524c000)',
      '\tlibdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007ffb25233000)',
      '\tlibodd.so => /opt/with space/libodd.so (0x00007ffb25233000)',
      '\tlibnone.so => not found',
      '\t/lib64/ld-linux-x86-64.so.2 (0x00007ffb2524e000)',
      '\t/lib64/ld-linux.so.2 => /usr/lib/ld-linux.so.2 (0x00007ffb2524e000)',
    ].join('\n');
    parseLibraries(output).should.deepEqual([
      { source: '/lib/x86_64-linux-gnu/libdl.so.2', target: '/lib/libdl.so.2' },
      { source: '/opt/with space/libodd.so', target: '/lib/libodd.so' },
      { source: '/lib64/ld-linux-x86-64.so.2', target: '/lib64/ld-linux-x86-64.so.2' },
      { source: '/usr/lib/ld-linux.so.2', target: '/lib64/ld-linux.so.2' },
    ]);
  });

  it('does the same for musl', () => {
    const output = [
      '\t/lib/ld-musl-x86_64.so.1 (0x7fd4c2a5e000)',
      '\tlibstdc++.so.6 => /usr/lib/libstdc++.so.6 (0x7fd4be000000)',
      '\tlibc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7fd4c2a5e000)',
    ].join('\n');
    parseLibraries(output).should.deepEqual([
      { source: '/lib/ld-musl-x86_64.so.1', target: '/lib/ld-musl-x86_64.so.1' },
      { source: '/usr/lib/libstdc++.so.6', target: '/lib/libstdc++.so.6' },
      { source: '/lib/ld-musl-x86_64.so.1', target: '/lib/libc.musl-x86_64.so.1' },
    ]);
  });
});

describe('findLibraries', () => {
  it('returns none for a program that is linked statically, or missing', async () => {
    should(await findLibraries('/missing')).deepEqual([]);
  });
});
