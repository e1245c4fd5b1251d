// Declarations of what the tests use of a package without types.
declare module 'draco3dgltf/draco_encoder_gltf_nodejs.js' {
  export interface DracoBytes {
    GetValue(index: number): number;
  }
  export interface DracoEncoderModule {
    Encoder: new () => { EncodeMeshToDracoBuffer(mesh: object, bytes: DracoBytes): number };
    MeshBuilder: new () => {
      AddFacesToMesh(mesh: object, count: number, corners: Uint32Array): boolean;
      AddFloatAttributeToMesh(mesh: object, kind: number, count: number, width: number, values: Float32Array): number;
      AddUInt8Attribute(mesh: object, kind: number, count: number, width: number, values: Uint8Array): number;
    };
    Mesh: new () => object;
    DracoInt8Array: new () => DracoBytes;
    POSITION: number;
    GENERIC: number;
  }
  export default function create(options: object): Promise<DracoEncoderModule>;
}
