// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Bytes} from "@openzeppelin/contracts/utils/Bytes.sol";
import {TRANSFER_SPEC_TYPE, TransferSpec, TransferSpecs} from "./TransferSpecs.sol";

/// Burn intents and attestations. Each has a header of its own around a transfer's terms, and comes alone or as a set.
library TransferPayloads {
    struct BurnIntent {
        uint256 maxBlockHeight;
        uint256 maxFee;
        TransferSpec spec;
        bytes32 specHash;
    }

    struct Attestation {
        uint256 maxBlockHeight;
        TransferSpec spec;
        bytes32 specHash;
    }

    bytes4 private constant BURN_INTENT_MAGIC = 0x070afbc2;
    bytes4 private constant BURN_INTENT_SET_MAGIC = 0xe999239b;
    uint256 private constant BURN_INTENT_HEADER = 72;
    bytes4 private constant ATTESTATION_MAGIC = 0xff6fb334;
    bytes4 private constant ATTESTATION_SET_MAGIC = 0x1e12db71;
    uint256 private constant ATTESTATION_HEADER = 40;
    uint256 private constant SET_HEADER = 8;
    uint256 private constant LENGTH_BYTES = 4;

    string private constant INTENT_TYPE = "BurnIntent(uint256 maxBlockHeight,uint256 maxFee,TransferSpec spec)";

    error TransferPayloadDataTooShort(uint256 expectedMinimumLength, uint256 actualLength);
    error InvalidTransferPayloadMagic(bytes4 actualMagic);
    error TransferPayloadHeaderTooShort(uint256 expectedMinimumLength, uint256 actualLength);
    error TransferPayloadOverallLengthMismatch(uint256 expectedTotalLength, uint256 actualTotalLength);
    error TransferPayloadSetHeaderTooShort(uint256 expectedMinimumLength, uint256 actualLength);
    error TransferPayloadSetElementHeaderTooShort(uint32 index, uint256 actualSetLength, uint256 requiredOffset);
    error TransferPayloadSetElementTooShort(uint32 index, uint256 actualSetLength, uint256 requiredOffset);
    error TransferPayloadSetInvalidElementMagic(uint32 index, bytes4 actualMagic);
    error TransferPayloadSetOverallLengthMismatch(uint256 expectedTotalLength, uint256 actualTotalLength);

    /// The intents of a payload, and the hash of the EIP-712 struct that its signer signed.
    function decodeBurnIntents(bytes memory payload)
        internal
        pure
        returns (BurnIntent[] memory intents, bytes32 structHash)
    {
        (bytes[] memory elements, bool isSet) =
            _split(payload, BURN_INTENT_MAGIC, BURN_INTENT_SET_MAGIC, BURN_INTENT_HEADER);
        intents = new BurnIntent[](elements.length);
        bytes32[] memory hashes = new bytes32[](elements.length);
        for (uint256 index = 0; index < elements.length; index++) {
            BurnIntent memory intent = intents[index];
            intent.maxBlockHeight = uint256(TransferSpecs.wordAt(elements[index], 4));
            intent.maxFee = uint256(TransferSpecs.wordAt(elements[index], 36));
            (intent.spec, intent.specHash) = _decodeSpec(elements[index], BURN_INTENT_HEADER);
            hashes[index] = _hashIntent(intent);
        }
        structHash = isSet ? _hashSet(hashes) : hashes[0];
    }

    function decodeAttestations(bytes memory payload) internal pure returns (Attestation[] memory attestations) {
        (bytes[] memory elements,) = _split(payload, ATTESTATION_MAGIC, ATTESTATION_SET_MAGIC, ATTESTATION_HEADER);
        attestations = new Attestation[](elements.length);
        for (uint256 index = 0; index < elements.length; index++) {
            attestations[index].maxBlockHeight = uint256(TransferSpecs.wordAt(elements[index], 4));
            (attestations[index].spec, attestations[index].specHash) = _decodeSpec(elements[index], ATTESTATION_HEADER);
        }
    }

    function _hashIntent(BurnIntent memory intent) private pure returns (bytes32) {
        bytes32 typeHash = keccak256(bytes.concat(bytes(INTENT_TYPE), bytes(TRANSFER_SPEC_TYPE)));
        return
            keccak256(abi.encode(typeHash, intent.maxBlockHeight, intent.maxFee, TransferSpecs.hashStruct(intent.spec)));
    }

    function _hashSet(bytes32[] memory hashes) private pure returns (bytes32) {
        bytes32 typeHash = keccak256(
            bytes.concat("BurnIntentSet(BurnIntent[] intents)", bytes(INTENT_TYPE), bytes(TRANSFER_SPEC_TYPE))
        );
        return keccak256(abi.encode(typeHash, keccak256(abi.encodePacked(hashes))));
    }

    function _decodeSpec(bytes memory element, uint256 header)
        private
        pure
        returns (TransferSpec memory spec, bytes32 specHash)
    {
        bytes memory data = Bytes.slice(element, header);
        return (TransferSpecs.decode(data), keccak256(data));
    }

    function _split(bytes memory payload, bytes4 magic, bytes4 setMagic, uint256 header)
        private
        pure
        returns (bytes[] memory elements, bool isSet)
    {
        if (payload.length < 4) revert TransferPayloadDataTooShort(4, payload.length);
        bytes4 actual = bytes4(TransferSpecs.wordAt(payload, 0));
        if (actual == setMagic) return (_splitSet(payload, magic, header), true);
        if (actual != magic) revert InvalidTransferPayloadMagic(actual);
        if (payload.length < header) revert TransferPayloadHeaderTooShort(header, payload.length);
        uint256 length = header + TransferSpecs.uint32At(payload, header - LENGTH_BYTES);
        if (payload.length != length) revert TransferPayloadOverallLengthMismatch(length, payload.length);
        elements = new bytes[](1);
        elements[0] = payload;
    }

    function _splitSet(bytes memory set, bytes4 magic, uint256 header) private pure returns (bytes[] memory elements) {
        if (set.length < SET_HEADER) revert TransferPayloadSetHeaderTooShort(SET_HEADER, set.length);
        uint32 number = TransferSpecs.uint32At(set, 4);
        // No memory is taken for more elements than there is room for.
        uint256 least = SET_HEADER + number * header;
        if (set.length < least) revert TransferPayloadSetElementHeaderTooShort(0, set.length, least);
        elements = new bytes[](number);
        uint256 start = SET_HEADER;
        for (uint32 index = 0; index < number; index++) {
            if (set.length < start + header) {
                revert TransferPayloadSetElementHeaderTooShort(index, set.length, start + header);
            }
            bytes4 actual = bytes4(TransferSpecs.wordAt(set, start));
            if (actual != magic) revert TransferPayloadSetInvalidElementMagic(index, actual);
            uint256 end = start + header + TransferSpecs.uint32At(set, start + header - LENGTH_BYTES);
            if (set.length < end) revert TransferPayloadSetElementTooShort(index, set.length, end);
            elements[index] = Bytes.slice(set, start, end);
            start = end;
        }
        if (set.length != start) revert TransferPayloadSetOverallLengthMismatch(start, set.length);
    }
}
