/** The decoder of meshoptimizer in JavaScript, which its package contains but neither exports nor declares. */
declare module '*/meshopt_decoder_reference.js' {
  export const MeshoptDecoder: {
    /** Decodes a buffer of `EXT_meshopt_compression` into `target`. Throws if it is damaged. */
    decodeGltfBuffer(
      target: Uint8Array,
      count: number,
      size: number,
      source: Uint8Array,
      mode: string,
      filter?: string,
    ): void;
  };
}
