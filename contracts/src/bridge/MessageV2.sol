// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A message of CCTP v2: a header of 148 bytes and a body. Numbers are big-endian, addresses padded on the left to 32 bytes.
library MessageV2 {
    struct Header {
        uint32 version;
        uint32 sourceDomain;
        uint32 destinationDomain;
        // Zero when the message is sent. The attesters fill in the nonce and the finality that they waited for.
        bytes32 nonce;
        bytes32 sender;
        bytes32 recipient;
        // Zero: anybody may deliver the message.
        bytes32 destinationCaller;
        uint32 minFinalityThreshold;
        uint32 finalityThresholdExecuted;
    }

    uint256 private constant HEADER_LENGTH = 148;

    function encode(Header memory header, bytes memory body) internal pure returns (bytes memory) {
        return abi.encodePacked(
            header.version,
            header.sourceDomain,
            header.destinationDomain,
            header.nonce,
            header.sender,
            header.recipient,
            header.destinationCaller,
            header.minFinalityThreshold,
            header.finalityThresholdExecuted,
            body
        );
    }

    function decode(bytes calldata message) internal pure returns (Header memory header, bytes calldata body) {
        require(message.length >= HEADER_LENGTH, "Invalid message: too short");
        header.version = uint32(bytes4(message[0:4]));
        header.sourceDomain = uint32(bytes4(message[4:8]));
        header.destinationDomain = uint32(bytes4(message[8:12]));
        header.nonce = bytes32(message[12:44]);
        header.sender = bytes32(message[44:76]);
        header.recipient = bytes32(message[76:108]);
        header.destinationCaller = bytes32(message[108:140]);
        header.minFinalityThreshold = uint32(bytes4(message[140:144]));
        header.finalityThresholdExecuted = uint32(bytes4(message[144:148]));
        body = message[HEADER_LENGTH:];
    }
}
