// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {TokenMinterV2} from "./TokenMinterV2.sol";

/// Whom a TokenMessenger trusts, what its transfers cost at least, and who may not use it.
abstract contract TokenMessengerSettings is Ownable2Step {
    /// `minFee` is in thousandths of a basis point.
    uint256 public constant MIN_FEE_MULTIPLIER = 10_000_000;

    TokenMinterV2 public localMinter;
    mapping(uint32 domain => bytes32) public remoteTokenMessengers;
    address public feeRecipient;
    address public minFeeController;
    uint256 public minFee;
    address public denylister;
    mapping(address account => bool) public isDenylisted;

    event RemoteTokenMessengerAdded(uint32 domain, bytes32 tokenMessenger);
    event RemoteTokenMessengerRemoved(uint32 domain, bytes32 tokenMessenger);
    event LocalMinterAdded(address localMinter);
    event LocalMinterRemoved(address localMinter);
    event FeeRecipientSet(address feeRecipient);
    event MinFeeControllerSet(address minFeeController);
    event MinFeeSet(uint256 minFee);
    event Denylisted(address indexed account);
    event UnDenylisted(address indexed account);
    event DenylisterChanged(address indexed oldDenylister, address indexed newDenylister);

    /// `administrator` starts with every role; owner can hand them on one by one.
    constructor(address administrator, address feeRecipient_) Ownable(administrator) {
        _setFeeRecipient(feeRecipient_);
        _setMinFeeController(administrator);
        _updateDenylister(administrator);
    }

    modifier onlyDenylister() {
        require(msg.sender == denylister, "Denylistable: caller is not denylister");
        _;
    }

    /// The least that `maxFee` of a burn of `amount` must be.
    function getMinFeeAmount(uint256 amount) external view returns (uint256) {
        if (minFee == 0) return 0;
        require(amount > 1, "Amount too low");
        return _minFeeAmount(amount);
    }

    function addRemoteTokenMessenger(uint32 domain, bytes32 tokenMessenger) external onlyOwner {
        require(tokenMessenger != bytes32(0), "bytes32(0) not allowed");
        require(remoteTokenMessengers[domain] == bytes32(0), "TokenMessenger already set");
        remoteTokenMessengers[domain] = tokenMessenger;
        emit RemoteTokenMessengerAdded(domain, tokenMessenger);
    }

    function removeRemoteTokenMessenger(uint32 domain) external onlyOwner {
        bytes32 removed = remoteTokenMessengers[domain];
        require(removed != bytes32(0), "No TokenMessenger set");
        delete remoteTokenMessengers[domain];
        emit RemoteTokenMessengerRemoved(domain, removed);
    }

    function addLocalMinter(address newLocalMinter) external onlyOwner {
        require(newLocalMinter != address(0), "Zero address not allowed");
        require(address(localMinter) == address(0), "Local minter is already set.");
        localMinter = TokenMinterV2(newLocalMinter);
        emit LocalMinterAdded(newLocalMinter);
    }

    function removeLocalMinter() external onlyOwner {
        address removed = address(localMinter);
        require(removed != address(0), "No local minter is set.");
        delete localMinter;
        emit LocalMinterRemoved(removed);
    }

    function setFeeRecipient(address newFeeRecipient) external onlyOwner {
        _setFeeRecipient(newFeeRecipient);
    }

    function setMinFeeController(address newMinFeeController) external onlyOwner {
        _setMinFeeController(newMinFeeController);
    }

    function setMinFee(uint256 newMinFee) external {
        require(msg.sender == minFeeController, "Caller is not the min fee controller");
        require(newMinFee < MIN_FEE_MULTIPLIER, "Min fee too high");
        minFee = newMinFee;
        emit MinFeeSet(newMinFee);
    }

    function updateDenylister(address newDenylister) external onlyOwner {
        _updateDenylister(newDenylister);
    }

    function denylist(address account) external onlyDenylister {
        isDenylisted[account] = true;
        emit Denylisted(account);
    }

    function unDenylist(address account) external onlyDenylister {
        isDenylisted[account] = false;
        emit UnDenylisted(account);
    }

    function _requireLocalMinter() internal view returns (TokenMinterV2) {
        require(address(localMinter) != address(0), "Local minter is not set");
        return localMinter;
    }

    function _requireNotDenylisted(address account) internal view {
        require(!isDenylisted[account], "Denylistable: account is on denylist");
    }

    function _requireMinFee(uint256 amount, uint256 maxFee) internal view {
        if (minFee > 0) require(maxFee >= _minFeeAmount(amount), "Insufficient max fee");
    }

    function _minFeeAmount(uint256 amount) private view returns (uint256) {
        uint256 fee = amount * minFee / MIN_FEE_MULTIPLIER;
        return fee == 0 ? 1 : fee;
    }

    function _setFeeRecipient(address newFeeRecipient) private {
        require(newFeeRecipient != address(0), "Zero address not allowed");
        feeRecipient = newFeeRecipient;
        emit FeeRecipientSet(newFeeRecipient);
    }

    function _setMinFeeController(address newMinFeeController) private {
        require(newMinFeeController != address(0), "Zero address not allowed");
        minFeeController = newMinFeeController;
        emit MinFeeControllerSet(newMinFeeController);
    }

    function _updateDenylister(address newDenylister) private {
        require(newDenylister != address(0), "Denylistable: new denylister is the zero address");
        emit DenylisterChanged(denylister, newDenylister);
        denylister = newDenylister;
    }
}
