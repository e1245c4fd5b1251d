import should from 'should';
import { readConnectionOptions } from '../../../src/service/store/postgres/connection-options.js';

describe('readConnectionOptions', () => {
  const tlsOf = (url: string) => readConnectionOptions(url).ssl;

  it('verifies the certificate and the name of a server by default', () => {
    should(tlsOf('postgres://me@db.example.com/models')).deepEqual({ rejectUnauthorized: true });
    should(tlsOf('postgresql://me@10.0.0.7:6432/models')).deepEqual({ rejectUnauthorized: true });
    should(tlsOf('postgres://me@127.0.0.1.example.com/models')).deepEqual({ rejectUnauthorized: true });
  });

  it('does not encrypt connections within the machine', () => {
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', '%2Frun%2Fpostgresql']) {
      should(tlsOf(`postgres://me@${host}/models`)).be.false(host);
    }
    should(tlsOf('postgres:///models?host=/run/postgresql')).be.false();
    should(tlsOf('postgres://127.0.0.1/models?host=db.example.com')).deepEqual({ rejectUnauthorized: true });
  });

  it('takes the mode from the URL', () => {
    should(tlsOf('postgres://db.example.com/models?sslmode=disable')).be.false();
    should(tlsOf('postgres://db.example.com/models?sslmode=require')).deepEqual({ rejectUnauthorized: false });
    should(() => tlsOf('postgres://db.example.com/models?sslmode=prefer')).throw({
      code: 'USAGE',
      message: /^Invalid --database-url: sslmode "prefer" is not one of disable, require, verify-ca, verify-full\.$/,
    });
    should(() => tlsOf('postgres://db/models?sslmode=verify-full&sslrootcert=/missing.pem')).throw({
      code: 'USAGE',
      message: /could not read sslrootcert \/missing\.pem/,
    });
  });

  it('refuses what would lower the protection unnoticed', () => {
    for (const [parameter, reason] of [
      ['ssl=0', /ssl is not supported\. Set sslmode/],
      ['ssl=no-verify', /ssl is not supported/],
      ['sslnegotiation=direct', /sslnegotiation is not supported/],
      ['uselibpqcompat=true&sslmode=require', /uselibpqcompat is not supported/],
      ['SSLMODE=disable', /SSLMODE is not supported/],
      ['sslmode=verify-full&sslmode=disable', /sslmode is set twice/],
      ['host=127.0.0.1&host=db.example.org', /host is set twice/],
      ['sslmode=no-verify', /sslmode "no-verify" is not one of/],
    ] as const) {
      should(() => tlsOf(`postgres://me:secret@db.example.com/models?${parameter}`)).throw({
        code: 'USAGE',
        message: reason,
      });
    }
    const { ssl } = readConnectionOptions('postgres:///models', { PGHOST: 'db.example.com' });
    should(ssl).deepEqual({ rejectUnauthorized: true });
    should(readConnectionOptions('postgres:///models', {}).ssl).be.false();
  });

  it('keeps the password and the other parameters for the connection only', () => {
    const { connectionString, displayName } = readConnectionOptions(
      'postgres://me:secret@db.example.com:6432/models?sslmode=require&connect_timeout=5',
    );
    should(connectionString).equal('postgres://me:secret@db.example.com:6432/models?connect_timeout=5');
    should(displayName).equal('db.example.com:6432/models');
  });

  it('does not repeat an invalid URL, which can contain a password', () => {
    for (const url of [
      'postgres://me:secret@host:port/models',
      'me:secret@host',
      'mysql://me:secret@host/models',
      '',
    ]) {
      should(() => readConnectionOptions(url)).throw({
        message: 'Invalid --database-url: expected postgres://user:password@host:port/database.',
      });
    }
  });
});
