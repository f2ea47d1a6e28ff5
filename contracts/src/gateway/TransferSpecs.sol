// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Bytes} from "@openzeppelin/contracts/utils/Bytes.sol";

string constant TRANSFER_SPEC_TYPE =
    "TransferSpec(uint32 version,uint32 sourceDomain,uint32 destinationDomain,bytes32 sourceContract,bytes32 destinationContract,bytes32 sourceToken,bytes32 destinationToken,bytes32 sourceDepositor,bytes32 destinationRecipient,bytes32 sourceSigner,bytes32 destinationCaller,uint256 value,bytes32 salt,bytes hookData)";

/// What both ends of a Gateway transfer agree on. The hash of its bytes is the transfer's id on both chains.
struct TransferSpec {
    uint32 version;
    uint32 sourceDomain;
    uint32 destinationDomain;
    bytes32 sourceContract;
    bytes32 destinationContract;
    bytes32 sourceToken;
    bytes32 destinationToken;
    bytes32 sourceDepositor;
    bytes32 destinationRecipient;
    bytes32 sourceSigner;
    // Zero: anybody may mint.
    bytes32 destinationCaller;
    uint256 value;
    bytes32 salt;
    bytes hookData;
}

/// The bytes of a transfer's terms: numbers big-endian, addresses padded on the left to 32 bytes.
library TransferSpecs {
    bytes4 private constant MAGIC = 0xca85def7;
    uint32 private constant VERSION = 1;
    uint256 private constant HOOK_DATA_OFFSET = 340;
    bytes32 private constant TYPEHASH = keccak256(bytes(TRANSFER_SPEC_TYPE));

    error TransferSpecHeaderTooShort(uint256 expectedMinimumLength, uint256 actualLength);
    error InvalidTransferSpecMagic(bytes4 actualMagic);
    error InvalidTransferSpecVersion(uint32 actualVersion);
    error TransferSpecOverallLengthMismatch(uint256 expectedTotalLength, uint256 actualTotalLength);

    function decode(bytes memory data) internal pure returns (TransferSpec memory spec) {
        if (data.length < HOOK_DATA_OFFSET) revert TransferSpecHeaderTooShort(HOOK_DATA_OFFSET, data.length);
        bytes4 magic = bytes4(wordAt(data, 0));
        if (magic != MAGIC) revert InvalidTransferSpecMagic(magic);
        spec.version = uint32At(data, 4);
        if (spec.version != VERSION) revert InvalidTransferSpecVersion(spec.version);
        uint256 length = HOOK_DATA_OFFSET + uint32At(data, 336);
        if (data.length != length) revert TransferSpecOverallLengthMismatch(length, data.length);
        spec.sourceDomain = uint32At(data, 8);
        spec.destinationDomain = uint32At(data, 12);
        spec.sourceContract = wordAt(data, 16);
        spec.destinationContract = wordAt(data, 48);
        spec.sourceToken = wordAt(data, 80);
        spec.destinationToken = wordAt(data, 112);
        spec.sourceDepositor = wordAt(data, 144);
        spec.destinationRecipient = wordAt(data, 176);
        spec.sourceSigner = wordAt(data, 208);
        spec.destinationCaller = wordAt(data, 240);
        spec.value = uint256(wordAt(data, 272));
        spec.salt = wordAt(data, 304);
        spec.hookData = Bytes.slice(data, HOOK_DATA_OFFSET);
    }

    /// The hash of the EIP-712 struct.
    function hashStruct(TransferSpec memory spec) internal pure returns (bytes32) {
        // In two parts: the compiler has no room for so many values at once.
        return keccak256(
            bytes.concat(
                abi.encode(
                    TYPEHASH,
                    spec.version,
                    spec.sourceDomain,
                    spec.destinationDomain,
                    spec.sourceContract,
                    spec.destinationContract,
                    spec.sourceToken,
                    spec.destinationToken
                ),
                abi.encode(
                    spec.sourceDepositor,
                    spec.destinationRecipient,
                    spec.sourceSigner,
                    spec.destinationCaller,
                    spec.value,
                    spec.salt,
                    keccak256(spec.hookData)
                )
            )
        );
    }

    /// The caller has compared the length before.
    function wordAt(bytes memory data, uint256 offset) internal pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 0x20), offset))
        }
    }

    function uint32At(bytes memory data, uint256 offset) internal pure returns (uint32) {
        return uint32(bytes4(wordAt(data, offset)));
    }
}
