// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {AttestableV2} from "./AttestableV2.sol";
import {MessageV2} from "./MessageV2.sol";
import {PaddedAddress} from "./PaddedAddress.sol";
import {PausableByOperator} from "./PausableByOperator.sol";

interface IMessageHandlerV2 {
    function handleReceiveFinalizedMessage(
        uint32 sourceDomain,
        bytes32 sender,
        uint32 finalityThresholdExecuted,
        bytes calldata messageBody
    ) external returns (bool);

    function handleReceiveUnfinalizedMessage(
        uint32 sourceDomain,
        bytes32 sender,
        uint32 finalityThresholdExecuted,
        bytes calldata messageBody
    ) external returns (bool);
}

/// Sends messages to other chains and delivers those that enough attesters signed, each once. A message that cannot be
/// delivered now, because of a pause, a lack of gas or its recipient, stays deliverable: its nonce is used only when all
/// of the delivery succeeds.
contract MessageTransmitterV2 is AttestableV2, PausableByOperator {
    using PaddedAddress for address;
    using PaddedAddress for bytes32;

    uint256 public constant NONCE_USED = 1;
    uint32 private constant FINALITY_THRESHOLD_FINALIZED = 2000;

    uint32 public immutable localDomain;
    uint32 public immutable version;
    uint256 public maxMessageBodySize;

    /// NONCE_USED once the message with this nonce was delivered.
    mapping(bytes32 nonce => uint256) public usedNonces;

    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );
    event MaxMessageBodySizeUpdated(uint256 newMaxMessageBodySize);

    /// `administrator` starts with every role; owner can hand them on one by one.
    constructor(
        uint32 localDomain_,
        uint32 version_,
        address administrator,
        address[] memory attesters,
        uint256 threshold,
        uint256 maxMessageBodySize_
    ) Ownable(administrator) AttestableV2(administrator, attesters, threshold) PausableByOperator(administrator) {
        localDomain = localDomain_;
        version = version_;
        _setMaxMessageBodySize(maxMessageBodySize_);
        // Messages have nonce zero until they are attested.
        usedNonces[bytes32(0)] = NONCE_USED;
    }

    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata messageBody
    ) external whenNotPaused {
        require(destinationDomain != localDomain, "Domain is local domain");
        require(messageBody.length <= maxMessageBodySize, "Message body exceeds max size");
        require(recipient != bytes32(0), "Recipient must be nonzero");
        MessageV2.Header memory header = MessageV2.Header({
            version: version,
            sourceDomain: localDomain,
            destinationDomain: destinationDomain,
            nonce: bytes32(0),
            sender: msg.sender.pad(),
            recipient: recipient,
            destinationCaller: destinationCaller,
            minFinalityThreshold: minFinalityThreshold,
            finalityThresholdExecuted: 0
        });
        emit MessageSent(MessageV2.encode(header, messageBody));
    }

    function receiveMessage(bytes calldata message, bytes calldata attestation) external whenNotPaused returns (bool) {
        _requireAttested(message, attestation);
        (MessageV2.Header memory header, bytes calldata body) = MessageV2.decode(message);
        require(header.destinationDomain == localDomain, "Invalid destination domain");
        if (header.destinationCaller != bytes32(0)) {
            require(header.destinationCaller == msg.sender.pad(), "Invalid caller for message");
        }
        require(header.version == version, "Invalid message version");
        require(usedNonces[header.nonce] == 0, "Nonce already used");
        usedNonces[header.nonce] = NONCE_USED;
        _deliver(header, body);
        emit MessageReceived(
            msg.sender, header.sourceDomain, header.nonce, header.sender, header.finalityThresholdExecuted, body
        );
        return true;
    }

    function setMaxMessageBodySize(uint256 newMaxMessageBodySize) external onlyOwner {
        _setMaxMessageBodySize(newMaxMessageBodySize);
    }

    function _deliver(MessageV2.Header memory header, bytes calldata body) private {
        IMessageHandlerV2 recipient = IMessageHandlerV2(header.recipient.unpad());
        uint32 finality = header.finalityThresholdExecuted;
        if (finality < FINALITY_THRESHOLD_FINALIZED) {
            require(
                recipient.handleReceiveUnfinalizedMessage(header.sourceDomain, header.sender, finality, body),
                "handleReceiveUnfinalizedMessage() failed"
            );
        } else {
            require(
                recipient.handleReceiveFinalizedMessage(header.sourceDomain, header.sender, finality, body),
                "handleReceiveFinalizedMessage() failed"
            );
        }
    }

    function _setMaxMessageBodySize(uint256 newMaxMessageBodySize) private {
        maxMessageBodySize = newMaxMessageBodySize;
        emit MaxMessageBodySizeUpdated(newMaxMessageBodySize);
    }
}
