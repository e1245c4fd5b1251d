declare module 'gltf-validator' {
  /** Validates a glTF or GLB. Resolves with the report of glTF-Validator. */
  export function validateBytes(bytes: Uint8Array): Promise<{
    issues: { numErrors: number; numWarnings: number; messages: { code: string; pointer?: string }[] };
    info: { totalTriangleCount: number; totalVertexCount: number };
  }>;
}
