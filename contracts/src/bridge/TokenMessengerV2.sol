// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BurnMessageV2} from "./BurnMessageV2.sol";
import {IMessageHandlerV2, MessageTransmitterV2} from "./MessageTransmitterV2.sol";
import {PaddedAddress} from "./PaddedAddress.sol";
import {TokenMessengerSettings} from "./TokenMessengerSettings.sol";
import {IMintBurnToken, TokenMinterV2} from "./TokenMinterV2.sol";

/// Burns tokens here and has them minted on another chain, with the surface of Circle's TokenMessengerV2.
/// contracts/README.md lists where it differs.
contract TokenMessengerV2 is IMessageHandlerV2, TokenMessengerSettings {
    using PaddedAddress for address;
    using PaddedAddress for bytes32;

    uint32 private constant LEAST_FINALITY_THRESHOLD = 500;

    MessageTransmitterV2 public immutable localMessageTransmitter;
    uint32 public immutable messageBodyVersion;

    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    /// `amount` is without the fee.
    event MintAndWithdraw(
        address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected
    );

    struct Deposit {
        uint256 amount;
        uint32 destinationDomain;
        bytes32 mintRecipient;
        address burnToken;
        bytes32 destinationCaller;
        uint256 maxFee;
        uint32 minFinalityThreshold;
    }

    constructor(
        MessageTransmitterV2 messageTransmitter,
        uint32 messageBodyVersion_,
        address administrator,
        address feeRecipient_
    ) TokenMessengerSettings(administrator, feeRecipient_) {
        require(address(messageTransmitter) != address(0), "MessageTransmitter not set");
        localMessageTransmitter = messageTransmitter;
        messageBodyVersion = messageBodyVersion_;
    }

    modifier onlyMessagesOf(uint32 remoteDomain, bytes32 sender) {
        require(msg.sender == address(localMessageTransmitter), "Invalid message transmitter");
        require(
            sender != bytes32(0) && remoteTokenMessengers[remoteDomain] == sender, "Remote TokenMessenger unsupported"
        );
        _;
    }

    function depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold
    ) external {
        _depositForBurn(
            Deposit(
                amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold
            ),
            ""
        );
    }

    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external {
        require(hookData.length > 0, "Hook data is empty");
        _depositForBurn(
            Deposit(
                amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold
            ),
            hookData
        );
    }

    function handleReceiveFinalizedMessage(uint32 remoteDomain, bytes32 sender, uint32, bytes calldata messageBody)
        external
        onlyMessagesOf(remoteDomain, sender)
        returns (bool)
    {
        _mintFor(remoteDomain, messageBody);
        return true;
    }

    function handleReceiveUnfinalizedMessage(
        uint32 remoteDomain,
        bytes32 sender,
        uint32 finalityThresholdExecuted,
        bytes calldata messageBody
    ) external onlyMessagesOf(remoteDomain, sender) returns (bool) {
        require(finalityThresholdExecuted >= LEAST_FINALITY_THRESHOLD, "Unsupported finality threshold");
        _mintFor(remoteDomain, messageBody);
        return true;
    }

    function _depositForBurn(Deposit memory deposit, bytes memory hookData) private {
        _requireNotDenylisted(msg.sender);
        if (msg.sender != tx.origin) _requireNotDenylisted(tx.origin);
        require(deposit.amount > 0, "Amount must be nonzero");
        require(deposit.mintRecipient != bytes32(0), "Mint recipient must be nonzero");
        require(deposit.maxFee < deposit.amount, "Max fee must be less than amount");
        _requireMinFee(deposit.amount, deposit.maxFee);
        bytes32 destination = remoteTokenMessengers[deposit.destinationDomain];
        require(destination != bytes32(0), "No TokenMessenger for domain");

        TokenMinterV2 minter = _requireLocalMinter();
        require(
            IMintBurnToken(deposit.burnToken).transferFrom(msg.sender, address(minter), deposit.amount),
            "Transfer operation failed"
        );
        minter.burn(deposit.burnToken, deposit.amount);
        _send(deposit, destination, hookData);
        emit DepositForBurn(
            deposit.burnToken,
            deposit.amount,
            msg.sender,
            deposit.mintRecipient,
            deposit.destinationDomain,
            destination,
            deposit.destinationCaller,
            deposit.maxFee,
            deposit.minFinalityThreshold,
            hookData
        );
    }

    function _send(Deposit memory deposit, bytes32 destination, bytes memory hookData) private {
        BurnMessageV2.Burn memory burn = BurnMessageV2.Burn({
            version: messageBodyVersion,
            burnToken: deposit.burnToken.pad(),
            mintRecipient: deposit.mintRecipient,
            amount: deposit.amount,
            messageSender: msg.sender.pad(),
            maxFee: deposit.maxFee,
            feeExecuted: 0,
            expirationBlock: 0,
            hookData: hookData
        });
        localMessageTransmitter.sendMessage(
            deposit.destinationDomain,
            destination,
            deposit.destinationCaller,
            deposit.minFinalityThreshold,
            BurnMessageV2.encode(burn)
        );
    }

    /// Mints what a message says was burned: the fee that the attesters filled in to its recipient, the rest to the
    /// message's. An expired message can be attested again under the same nonce.
    function _mintFor(uint32 remoteDomain, bytes calldata messageBody) private {
        BurnMessageV2.Burn memory burn = BurnMessageV2.decode(messageBody);
        require(burn.version == messageBodyVersion, "Invalid message body version");
        require(
            burn.expirationBlock == 0 || burn.expirationBlock > block.number, "Message expired and must be re-signed"
        );
        uint256 fee = burn.feeExecuted;
        require(fee == 0 || fee < burn.amount, "Fee equals or exceeds amount");
        require(fee <= burn.maxFee, "Fee exceeds max fee");

        TokenMinterV2 minter = _requireLocalMinter();
        address recipient = burn.mintRecipient.unpad();
        uint256 amount = burn.amount - fee;
        address token = fee == 0
            ? minter.mint(remoteDomain, burn.burnToken, recipient, amount)
            : minter.mint(remoteDomain, burn.burnToken, recipient, feeRecipient, amount, fee);
        emit MintAndWithdraw(recipient, amount, token, fee);
    }
}
